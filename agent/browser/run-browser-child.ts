import type { Readable, Writable } from 'node:stream'
import type { HeldLimits } from '../../protocol/checks/held-limits.ts'
import { compile } from '../../protocol/validate.ts'
import { CannotRun } from '../base/cannot-run.ts'
import { DeadlinePassed } from '../base/deadline.ts'
import { egressProxyLimits } from '../egress-proxy/allowance.ts'
import { browserBounds } from '../isolation/profiles.ts'
import { readChildOutput } from '../sandbox/child-output.ts'
import { whenGone } from '../sandbox/end-group.ts'
import { heldLimits, ifMeasured, tooManyFiles, tooMuchMemory } from '../sandbox/limits.ts'
import { readLines } from '../sandbox/read-lines.ts'
import type { ScriptListener } from '../sandbox/sandbox-options.ts'
import type { ScriptChild } from '../sandbox/start-child.ts'
import { isOutOfRoom, watchFiles } from '../sandbox/watch-files.ts'
import type { BrowsersOptions } from './browsers-options.ts'
import { filesOfBrowsers, maxHeapMb, maxMemoryMb } from './start-browser-child.ts'
import { BrowserEvent, type BrowserTask, maxLogBytes, type ScriptError } from './task.ts'
import { type TreeUse, watchTree } from './watch-tree.ts'

/** `limit`: what it was stopped for, in words. */
export type BrowserEnding = {
  errors: ScriptError[]
  limit: string | null
  /** Null: nothing was started. */
  limits: HeldLimits | null
  use: TreeUse
  startedAt: number
  endedAt: number
}

/** Its process may have waited for too long: another one may do better. */
export class NeverBegan extends CannotRun {}

/** It ran as a program, and is a file of tests. */
export class DeclaresTests extends Error {}

/** This machine had no time for it. */
export class StartedLate extends CannotRun {}

type Ending =
  | { kind: 'ended'; errors: ScriptError[] }
  | { kind: 'exited'; code: number | null; signal: string | null }
  | { kind: 'not-started'; problem: string }
  | { kind: 'declares-tests' }
  | { kind: 'memory' | 'disk' | 'nonsense' | 'aborted' | 'never-started' }

const validate = compile(BrowserEvent)

/** To start takes a second or two, on a busy machine several. */
const slowStartMs = 15_000

type Context = Pick<BrowsersOptions, 'clock' | 'host'> & {
  child: ScriptChild
  listener: ScriptListener
  /** When a script that still runs is to be stopped, on the clock that never goes back, and how long that is from its start. */
  stopAt: number
  timeMs: number
  /** All that it may send and receive has passed. */
  spent: AbortSignal
}

/** One run from its task to the end of its processes. Their folder is still there. */
export const runBrowserChild = async (task: BrowserTask, context: Context): Promise<BrowserEnding> => {
  const { child, listener, clock } = context
  const { process: leader } = child
  const output = {
    out: readChildOutput(leader.stdout as Readable),
    err: readChildOutput(leader.stderr as Readable),
  }
  const limits = heldLimits({ ...child, memoryMb: maxMemoryMb, filesMb: filesOfBrowsers.mb })
  const watched = watch(task, context, limits)
  // A child that ends early does not read; how it ended says why.
  const stdin = leader.stdin as Writable
  stdin.on('error', () => undefined)
  stdin.end(JSON.stringify(task))
  const said = await watched.ending
  const wasKilled = (await child.group?.ranOutOfMemory()) ?? false
  const ended: Ending =
    said.kind === 'exited' && wasKilled && watched.startedAt() !== null ? { kind: 'memory' } : said
  const endedAt = clock.now()
  const wereFull = await watched.wereFull()
  const use = watched.stop()
  await child.end()
  if (output.out() !== '') listener.say('INFO', output.out())
  if (output.err() !== '') listener.say('WARN', output.err())
  if (ended.kind === 'aborted' && !(listener.signal.reason instanceof DeadlinePassed))
    throw listener.signal.reason
  if (ended.kind === 'declares-tests') throw new DeclaresTests()
  const seconds = Math.round(context.timeMs / 1000)
  if (ended.kind === 'never-started' || (ended.kind === 'aborted' && watched.startedAt() === null))
    throw new StartedLate(`A process for the script did not start within its ${seconds} seconds`)
  if (ended.kind === 'not-started')
    throw new CannotRun(`This agent cannot start a process for the script: ${ended.problem}`)
  // Nothing of the script can have run: the process itself has failed, perhaps while it waited.
  if (ended.kind === 'exited' && watched.startedAt() === null)
    throw new NeverBegan(`A process for the script ended before it began: ${howExited(ended)}`)
  const startedAt = watched.startedAt() ?? endedAt
  const times = { startedAt: Math.floor(startedAt), endedAt: Math.ceil(endedAt), use, limits }
  const errors = ended.kind === 'ended' ? ended.errors : []
  const isFull =
    limits.files.heldBy === 'kernel' && (wereFull || errors.some(({ message }) => isOutOfRoom(message)))
  const stop = watched.softStop()
  const startMs = startedAt - watched.takenAt
  // What is left would be too little for a target that is well.
  if (stop === 'time' && startMs > Math.max(slowStartMs, context.timeMs / 2))
    throw new StartedLate(
      `A process for the script started only after ${Math.round(startMs / 1000)} of its ${seconds} seconds`,
    )
  if (stop !== null) return { errors, limit: reasons[stop](seconds, limits), ...times }
  const endedItself = ended.kind === 'ended' || ended.kind === 'exited'
  if (isFull && endedItself && (errors.length > 0 || ended.kind === 'exited'))
    return { errors, limit: tooManyFiles(limits.files), ...times }
  if (ended.kind !== 'ended') return { errors, limit: whyStopped(ended, seconds, limits), ...times }
  return { errors, limit: null, ...times }
}

const watch = (task: BrowserTask, context: Context, limits: HeldLimits) => {
  const { child, listener, clock, host, stopAt, spent } = context
  const { promise, resolve } = Promise.withResolvers<Ending>()
  const { process: leader } = child
  const takenAt = clock.now()
  let startedAt: number | null = null
  let softStop: SoftStop | null = null
  const atItsEnd = (act: () => void) => clock.at(Math.max(0, stopAt - clock.monotonic()), act)
  let cancelTimer = atItsEnd(() => resolve({ kind: 'never-started' }))
  const stopSoftly = (why: SoftStop): void => {
    if (softStop !== null) return
    softStop = why
    // To the leader alone: it has to have its browser still.
    leader.kill(task.style === 'library' ? 'SIGUSR2' : 'SIGINT')
  }
  readLines(leader.stdio[3] as Readable, validate, {
    maxBytes: 2 * maxLogBytes + 1024 * 1024,
    onNonsense: () => resolve({ kind: 'nonsense' }),
    onEvent: (event) => {
      if (event.type === 'log') listener.say(event.level, event.msg)
      else if (event.type === 'ended') resolve({ kind: 'ended', errors: event.errors })
      else if (event.type === 'declares-tests')
        resolve({ kind: task.style === 'library' ? event.type : 'nonsense' })
      else if (event.type === 'not-started')
        resolve(startedAt === null ? { kind: 'not-started', problem: event.problem } : { kind: 'nonsense' })
      else if (startedAt === null) {
        startedAt = clock.now()
        cancelTimer()
        cancelTimer = atItsEnd(() => stopSoftly('time'))
      }
    },
  })
  const tree = watchTree(
    { group: leader.pid as number, maxBytes: limits.memory.mb * 1024 * 1024, clock },
    ifMeasured(limits.memory, () => resolve({ kind: 'memory' })),
  )
  const { folder } = child
  const disk = watchFiles({ folder, files: filesOfBrowsers, members: tree.members, clock }, () =>
    resolve({ kind: 'disk' }),
  )
  whenGone(leader, { host, clock }, (code, signal) => resolve({ kind: 'exited', code, signal }))
  spent.addEventListener('abort', () => stopSoftly('traffic'))
  const abort = (): void => resolve({ kind: 'aborted' })
  listener.signal.addEventListener('abort', abort)
  if (listener.signal.aborted) abort()
  return {
    ending: promise,
    takenAt,
    startedAt: () => startedAt,
    softStop: () => softStop,
    wereFull: disk.wereFull,
    stop: (): TreeUse => {
      cancelTimer()
      listener.signal.removeEventListener('abort', abort)
      disk.stop()
      return tree.stop()
    },
  }
}

type SoftStop = 'time' | 'traffic'
type Stopped = Exclude<Ending, { kind: 'ended' | 'not-started' | 'declares-tests' | 'exited' }>['kind']

const timeUp = (seconds: number): string => `was stopped: its time was up after ${Math.round(seconds)} s`

const reasons: Record<SoftStop | Stopped, (seconds: number, limits: HeldLimits) => string> = {
  memory: (_, { memory }) => tooMuchMemory(memory),
  disk: (_, { files }) => tooManyFiles(files),
  traffic: () =>
    `was stopped: it sent and received more than its ${egressProxyLimits.bytes / 1024 / 1024} MB`,
  time: timeUp,
  aborted: timeUp,
  nonsense: () => 'was stopped: it wrote to a descriptor that is not its own',
  'never-started': () => 'did not start',
}

const whyStopped = (
  ended: Exclude<Ending, { kind: 'ended' | 'not-started' | 'declares-tests' }>,
  seconds: number,
  limits: HeldLimits,
): string => {
  if (ended.kind !== 'exited') return reasons[ended.kind](seconds, limits)
  const { signal, code } = ended
  // 134 is how shells say SIGABRT.
  if (signal === 'SIGABRT' || code === 134)
    return `was stopped: Node had no memory left for its objects, of which a process may have ${maxHeapMb} MB`
  if (signal === 'SIGXFSZ')
    return `was stopped: it wrote a file of more than its ${browserBounds.fileMb} MB (held by the kernel)`
  if (signal === 'SIGXCPU')
    return `was stopped: it used more than its ${browserBounds.cpuSeconds} s of processor time (held by the kernel)`
  return `ended its process before it was done (${howExited(ended)})`
}

const howExited = ({ signal, code }: Extract<Ending, { kind: 'exited' }>): string =>
  signal ?? `exit code ${code}`
