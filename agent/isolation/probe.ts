/** What the isolation holds on this machine: a child is started in it, and tries to leave. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { TimerClock } from '../../protocol/clock.ts'
import { isRoot } from '../base/is-root.ts'
import type { ControlGroups } from './control-groups.ts'
import type { Kernel } from './kernel.ts'
import { partsOf } from './landlock.ts'
import { type LaunchTools, launch } from './launch.ts'
import type { LaunchFailure, Owner } from './launch-plan.ts'
import type { IsolationLayer } from './missing-isolation.ts'
import { folderPrefix, removeFolder, writeFolder } from './private-folder.ts'
import type { Program } from './program.ts'
import { readableRule } from './system-files.ts'
import type { Attempts } from './try-isolation.ts'
import { openVolume, type Volume, type VolumeSize } from './volumes.ts'

type ProbeOptions = {
  program: Program
  clock: Pick<TimerClock, 'at'>
  /** A user to try. */
  owner: Owner
  /** Where children may be given control groups. */
  groups: ControlGroups | null
  tools: Omit<LaunchTools, 'filters' | 'kernel'> & { kernel: LaunchTools['kernel'] & Pick<Kernel, 'mounts'> }
}

/** How children are to be launched here, and which layers that one met. `problem`: why it is not more. */
export type Probed = {
  layers: readonly IsolationLayer[]
  owners: boolean
  filters: boolean
  volumes: readonly VolumeSize['on'][]
  groups: boolean
  problem: string | null
}

/** Everybody may read it: only the isolation keeps a child from it. */
const publicFile = '/etc/passwd'
const startTimeMs = 20_000

/** Tries the strictest launch first. What a container forbids the launcher shows only when it is done. */
export const probe = async (options: ProbeOptions): Promise<Probed> => {
  const listener = createServer((socket) => socket.destroy())
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  try {
    return await firstThatStarts(options, listener)
  } finally {
    listener.close()
  }
}

const firstThatStarts = async (options: ProbeOptions, listener: Server): Promise<Probed> => {
  const { volumes, problem: noVolumes } = await volumesOf(options)
  const variants = [true, false].flatMap((filters) =>
    (isRoot() ? [true, false] : [false]).flatMap((owners) =>
      (volumes.length > 0 ? [volumes, []] : [[]]).map((some) => ({ owners, filters, volumes: some })),
    ),
  )
  const problems = new Set<string>(noVolumes === null ? [] : [noVolumes])
  for (const variant of variants) {
    const told = await tryOnce(options, listener, variant)
    if ('problem' in told) problems.add(told.problem)
    else {
      const met = layersOf(told.attempts, options, variant)
      const noGroups = await tryGroup(options, variant, met)
      if (noGroups !== null && noGroups !== '') problems.add(noGroups)
      const groups = noGroups === null
      const layers: IsolationLayer[] = groups ? [...met, 'memory'] : met
      const problem = problems.size === 0 ? null : [...problems].join('; ')
      return { ...variant, layers, groups, problem }
    }
  }
  return {
    layers: [],
    owners: false,
    filters: false,
    volumes: [],
    groups: false,
    problem: [...problems].join('; '),
  }
}

/** A child tries one in memory: those on the disk differ in what they are made of. */
const probeSize = { mb: 1, files: 10 }

/** Those that this agent can open. A missing right to mount is nothing to tell: most agents do not have it. */
const volumesOf = async ({ tools }: ProbeOptions): Promise<Pick<Probed, 'volumes' | 'problem'>> => {
  const volumes: VolumeSize['on'][] = []
  const folder = await mkdtemp(join(tmpdir(), folderPrefix))
  try {
    for (const on of ['memory', 'disk'] as const) {
      const { mounts } = tools.kernel
      const volume = await openVolume({ ...probeSize, on }, { owner: null, folder, mounts })
      await volume.close()
      volumes.push(on)
    }
    return { volumes, problem: null }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { volumes, problem: code === 'EPERM' ? null : `no file systems of runs: ${message.trim()}` }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A child that takes more than its group may have. */
const groupSize = { memoryMb: 128, processes: 64 }
const takeMore = 'const all = []; for (let i = 0; i < 512; i += 1) all.push(Buffer.alloc(1 << 20, 1))'

/**
 * Why there are no control groups here; null: there are, and the kernel has ended a child that took more than it may have. Empty: there
 * is nothing to tell. A child that could write to their files would leave its group, so something has to keep it from them.
 */
const tryGroup = async (
  options: ProbeOptions,
  { owners, filters }: Variant,
  met: readonly IsolationLayer[],
): Promise<string | null> => {
  const { groups, program, clock, tools } = options
  if (groups === null || !(met.includes('files') || met.includes('own-uid'))) return ''
  const owner = owners ? options.owner : null
  const folder = await writeFolder({ program, modules: null, owner })
  try {
    const group = await groups.open(groupSize)
    try {
      const child = launch(
        {
          ...{ profile: 'script', folder: folder.path, writable: folder.writable, group: group.path },
          ...{ readable: [], egressProxyPort: null, owner, args: ['--no-warnings', '-e', takeMore], env: {} },
        },
        { ...tools, filters },
      )
      const told = await listen(child, clock)
      if (await group.ranOutOfMemory()) return null
      return `no control groups of runs: ${'problem' in told ? told.problem : 'a child could take more memory than its group may have'}`
    } finally {
      await group.close()
    }
  } catch (error) {
    return `no control groups of runs: ${(error as Error).message}`
  } finally {
    await removeFolder(folder)
  }
}

type Variant = Pick<Probed, 'owners' | 'filters' | 'volumes'>

type Told = { attempts: Attempts } | { problem: string }

const tryOnce = async (
  { program, tools, clock, owner: someone }: ProbeOptions,
  listener: Server,
  { owners, filters, volumes }: Variant,
): Promise<Told> => {
  const owner = owners ? someone : null
  const { mounts } = tools.kernel
  const ofProbe = { ...probeSize, on: 'memory' } as const
  const open = async (folder: string): Promise<Volume | null> =>
    volumes.length === 0 ? null : openVolume(ofProbe, { owner, folder, mounts })
  const folder = await writeFolder({ program, modules: null, owner, openVolume: open })
  try {
    const volume = (await folder.volume?.lend()) ?? null
    const { port } = listener.address() as AddressInfo
    const child = launch(
      {
        profile: 'script',
        folder: folder.path,
        writable: folder.writable,
        volume,
        readable: existsSync('/proc') ? [readableRule('/proc')] : [],
        egressProxyPort: null,
        owner,
        args: ['--no-warnings', 'try-isolation.mjs', publicFile, String(port)],
        env: {},
      },
      { ...tools, filters },
    )
    return await listen(child, clock)
  } finally {
    await removeFolder(folder)
  }
}

const listen = async (child: ChildProcess, clock: Pick<TimerClock, 'at'>): Promise<Told> => {
  const cancel = clock.at(startTimeMs, () => child.kill('SIGKILL'))
  const failed = new Promise<Told>((resolve) =>
    child.once('error', ({ message }) => resolve({ problem: message })),
  )
  const [, , error, events] = child.stdio as Readable[]
  const said = Promise.all([text(events as Readable), text(error as Readable)]).then(
    ([line, complaint]): Told => parse(line) ?? { problem: complaint.trim() || 'it ended without a word' },
  )
  const told = await Promise.race([failed, said])
  cancel()
  return told
}

const parse = (line: string): Told | null => {
  if (line === '') return null
  const event = JSON.parse(line) as LaunchFailure | { type: 'attempts'; attempts: Attempts }
  return event.type === 'attempts' ? { attempts: event.attempts } : { problem: event.problem }
}

const layersOf = (
  attempts: Attempts,
  { owner, tools }: ProbeOptions,
  { owners, filters, volumes }: Variant,
): IsolationLayer[] => {
  const landlock = partsOf(tools.kernel.landlockVersion)
  const met: Partial<Record<IsolationLayer, boolean>> = {
    files: landlock.files && attempts.readFile === 'EACCES',
    tcp: landlock.tcp && attempts.connect === 'EACCES',
    // Of another user nobody could signal the agent anyway, so the version has to vouch for it.
    scopes: landlock.scopes && attempts.signalAgent === 'EPERM',
    seccomp: filters && attempts.datagrams === 'EPERM',
    // The folder may be read: it is not there.
    processes: attempts.lookAtAgent === 'ENOENT',
    disk: volumes.includes('disk') && attempts.fill === 'ENOSPC',
    'own-uid': owners && attempts.uid === owner.uid,
  }
  return (Object.keys(met) as IsolationLayer[]).filter((name) => met[name])
}
