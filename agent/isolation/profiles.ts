import type { LaunchPlan } from './launch-plan.ts'

/**
 * Kinds of programs in isolation. `script`: one Node. `browser`: Node with a Chromium and its processes. `browser-sandbox`: the
 * same, where Chromium puts its pages into a sandbox of its own, for which it needs namespaces.
 */
export type Profile = 'script' | 'browser' | 'browser-sandbox'

type Bounds = {
  /** An end for a process whose agent is gone: far more than the time that it has allows. */
  cpuSeconds: number
  /** Of one file. */
  fileMb: number
  descriptors: number
  /** Threads count. It is a limit of a user, so it can be one of a child only where that has its own. */
  processes: number
}

/** getrlimit(2), by their numbers. */
const resource = { cpuSeconds: 0, fileBytes: 1, coreBytes: 4, processes: 6, descriptors: 7 }

const script: Bounds = { cpuSeconds: 60, fileMb: 64, descriptors: 512, processes: 128 }
/**
 * A file may be larger than all that a run may receive: so that a download that never ends is stopped for that.
 * A page has some thirty threads, and a large site a dozen processes.
 */
export const browserBounds: Bounds = { cpuSeconds: 600, fileMb: 300, descriptors: 4096, processes: 1024 }

const boundsOf = (profile: Profile): Bounds => (profile === 'script' ? script : browserBounds)

/** All of a child together, where it has a control group: beside the limit of its user, or instead of it. */
export const processesOf = (profile: Profile): number => boundsOf(profile).processes

export const limitsOf = (profile: Profile, hasOwnUser: boolean): LaunchPlan['limits'] => {
  const { cpuSeconds, fileMb, descriptors, processes } = boundsOf(profile)
  const limits = [
    [resource.coreBytes, 0],
    [resource.cpuSeconds, cpuSeconds],
    [resource.fileBytes, fileMb * 1024 * 1024],
    [resource.descriptors, descriptors],
  ] as const
  return hasOwnUser ? [...limits, [resource.processes, processes]] : limits
}
