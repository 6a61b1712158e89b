import { readlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { createMounts, type Mounts } from './mounts.ts'
import { type Architecture, existingNumber } from './syscalls.ts'
import { systemCalls } from './system-calls.ts'

/** What the agent itself asks the kernel for. */
export type Kernel = {
  /** Of this process. */
  pid: number
  architecture: Architecture
  /** The file that the launcher loads koffi from. */
  koffi: string
  /** Of Landlock's interface; 0: there is none. */
  landlockVersion: number
  mounts: Mounts
  /** From now on, processes whose parents are gone become this one's children. Whether the kernel does it. */
  becomeSubreaper(): boolean
  /** Whether a process group has members, dead ones that nobody has reaped included. */
  hasMembers(group: number): boolean
  /** Takes a child that has ended out of the table of processes; any other number means nothing to it. */
  reap(pid: number): void
}

const askVersion = 1
const setChildSubreaper = 36
const doNotWait = 1
/** ESRCH */
const noSuchProcess = 3

/** Rejects, with a sentence, where there is no such kernel or no way to ask it. */
export const openKernel = async (): Promise<Kernel> => {
  const architecture = arch()
  if (platform() !== 'linux' || (architecture !== 'x64' && architecture !== 'arm64'))
    throw new Error(
      `isolation of user code needs Linux on x86_64 or arm64, this is ${platform()} on ${architecture}`,
    )
  const { default: koffi } = await import('koffi').catch((cause: Error) => {
    throw new Error(`the package "koffi" cannot be loaded: ${cause.message.split('\n')[0]}`, { cause })
  })
  const system = systemCalls(koffi)
  const number = (name: Parameters<typeof existingNumber>[0]): number => existingNumber(name, architecture)
  return {
    pid: Number(readlinkSync('/proc/self')),
    architecture,
    koffi: createRequire(import.meta.url).resolve('koffi'),
    landlockVersion: Math.max(0, system.attempt(number('landlock_create_ruleset'), null, 0, askVersion)),
    mounts: createMounts(system, architecture),
    becomeSubreaper: () => system.attempt(number('prctl'), setChildSubreaper, 1) === 0,
    hasMembers: (group) => system.attempt(number('kill'), -group, 0) !== -noSuchProcess,
    reap: (pid) => void system.attempt(number('wait4'), pid, null, doNotWait, null),
  }
}
