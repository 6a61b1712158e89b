import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { HeldLimits } from '../../protocol/checks/held-limits.ts'
import { CannotRun } from '../base/cannot-run.ts'
import { DeadlinePassed } from '../base/deadline.ts'
import { readChildOutput } from './child-output.ts'
import { whenGone } from './end-group.ts'
import { feed } from './feed.ts'
import { heldLimits, ifMeasured, tooManyFiles, tooMuchMemory } from './limits.ts'
import { watchMemory } from './memory.ts'
import { readEvents } from './read-events.ts'
import type { SandboxOptions, ScriptListener } from './sandbox-options.ts'
import type { ScriptChild } from './start-child.ts'
import {
  type Changes,
  filesOfScripts,
  maxHiddenBytes,
  maxLogBytes,
  maxMemoryMb,
  maxScriptItems,
  type RuntimePackages,
  type ScriptAnswer,
  type ScriptTask,
  scriptTimeMs,
} from './task.ts'
import { tooMany } from './too-many.ts'
import { isOutOfRoom, watchFiles } from './watch-files.ts'

type ChildContext = SandboxOptions & {
  child: ScriptChild
  packages: RuntimePackages
  snippetFiles: Record<string, string>
  /** Whether the location has a proxy behind the egress proxy. */
  hasProxy: boolean
}

/** What ends the wait for a child, whichever comes first. */
type Ending =
  | { kind: 'answer'; changes: Changes }
  | { kind: 'threw'; message: string; line: number | null }
  | { kind: 'exited'; code: number | null; signal: string | null }
  | { kind: 'not-started'; problem: string }
  | { kind: 'time' | 'memory' | 'files' | 'nonsense' | 'hidden' | 'aborted' }

/** One child process from its task to the end of its group. */
export const runChild = async (
  task: ScriptTask,
  listener: ScriptListener,
  around: ChildContext,
): Promise<ScriptAnswer> => {
  const { process: child } = around.child
  const output = {
    stdout: readChildOutput(child.stdout as Readable),
    stderr: readChildOutput(child.stderr as Readable),
  }
  const limits = heldLimits({ ...around.child, memoryMb: maxMemoryMb, filesMb: filesOfScripts.mb })
  const { ending, hasStarted, wereFull, stopWatching } = watch(child, { listener, around, limits })
  feed(child, task, { ...around, egressProxyPort: around.child.egressProxy.port })
  const ended = await ending
  const wasKilled = (await around.child.group?.ranOutOfMemory()) ?? false
  const isFull = limits.files.heldBy === 'kernel' && (await isOutOfFiles(ended, wereFull))
  stopWatching()
  await around.child.end()
  const ranOut = ended.kind === 'memory' || (ended.kind === 'exited' && (wasKilled || isOutOfMemory(ended)))
  const isQuiet = ended.kind === 'hidden'
  if (output.stdout() !== '' && !isQuiet) listener.say('INFO', output.stdout())
  // What V8 prints then is pages about its heap.
  if (output.stderr() !== '' && !ranOut && !isQuiet) listener.say('WARN', output.stderr())
  if (ended.kind === 'aborted' && !(listener.signal.reason instanceof DeadlinePassed))
    throw listener.signal.reason
  // However busy the machine is, a process may start for as long as the run has; the script's own time begins after that.
  if (ended.kind === 'aborted' && !hasStarted())
    throw new CannotRun('A process for the script did not start within the time of the run')
  if (ended.kind === 'not-started')
    throw new CannotRun(`This agent cannot start a process for the script: ${ended.problem}`)
  const problem =
    ended.kind === 'answer' ? tooMany(ended.changes) : predicate(ended, { ranOut, isFull, limits })
  if (ended.kind === 'answer' && problem === null) return { ok: true, changes: ended.changes }
  return { ok: false, problem: `${capital(task.script.name)} ${problem}` }
}

/** Follows a child until it ends or is to be ended. */
const watch = (
  child: ChildProcess,
  { listener, around, limits }: { listener: ScriptListener; around: ChildContext; limits: HeldLimits },
) => {
  const { clock } = around
  const { promise, resolve } = Promise.withResolvers<Ending>()
  const say = limited(listener.say)
  let hasStarted = false
  let revealing = false
  const hide = (value: string): void => {
    if (listener.hide(value)) return
    revealing = true
    resolve({ kind: 'hidden' })
  }
  let cancelTimer = (): void => undefined
  readEvents(child.stdio[3] as Readable, {
    onNonsense: () => resolve({ kind: 'nonsense' }),
    onEvent: (event) => {
      // What it says of a value that is not hidden must not be kept.
      if (revealing) return
      if (event.type === 'log') say(event.level, event.msg)
      else if (event.type === 'hide') hide(event.value)
      else if (event.type === 'done') resolve({ kind: 'answer', changes: event.changes })
      else if (event.type === 'threw') resolve({ ...event, kind: 'threw' })
      else if (event.type === 'not-started')
        // The launcher's word: once the script has begun it is somebody else's.
        resolve(hasStarted ? { kind: 'nonsense' } : { kind: 'not-started', problem: event.problem })
      else {
        hasStarted = true
        cancelTimer()
        cancelTimer = clock.at(scriptTimeMs, () => resolve({ kind: 'time' }))
      }
    },
  })
  const memory = watchMemory(
    { pid: child.pid as number, maxBytes: limits.memory.mb * 1024 * 1024, clock },
    ifMeasured(limits.memory, () => resolve({ kind: 'memory' })),
  )
  const { folder } = around.child
  const files = watchFiles({ folder, files: filesOfScripts, members: memory.members, clock }, () =>
    resolve({ kind: 'files' }),
  )
  whenGone(child, around, (code, signal) => resolve({ kind: 'exited', code, signal }))
  const abort = (): void => resolve({ kind: 'aborted' })
  listener.signal.addEventListener('abort', abort)
  if (listener.signal.aborted) abort()
  const stopWatching = (): void => {
    cancelTimer()
    memory.stop()
    files.stop()
    listener.signal.removeEventListener('abort', abort)
  }
  return { ending: promise, hasStarted: () => hasStarted, wereFull: files.wereFull, stopWatching }
}

/** The child keeps this bound too; a child that is no longer ours to trust does not. */
const limited = (say: ScriptListener['say']): ScriptListener['say'] => {
  let room = maxLogBytes
  return (level, msg) => {
    if (room <= 0) return
    room -= msg.length + 1
    say(level, msg)
    if (room <= 0) say('WARN', 'What the script printed after this is not kept')
  }
}

/** V8 aborts when its heap is full; 134 is how shells say SIGABRT. */
const isOutOfMemory = ({ code, signal }: { code: number | null; signal: string | null }): boolean =>
  signal === 'SIGABRT' || code === 134

/** Whether it failed because there was no room for what it wrote. */
const isOutOfFiles = async (ended: Ending, wereFull: () => Promise<boolean>): Promise<boolean> => {
  if (ended.kind === 'threw') return isOutOfRoom(ended.message) || wereFull()
  return ended.kind === 'exited' && wereFull()
}

type Why = { ranOut: boolean; isFull: boolean; limits: HeldLimits }

const predicate = (
  ended: Exclude<Ending, { kind: 'answer' | 'not-started' }>,
  { ranOut, isFull, limits }: Why,
): string => {
  if (ranOut) return tooMuchMemory(limits.memory)
  if (ended.kind === 'files' || isFull) return tooManyFiles(limits.files)
  if (ended.kind === 'threw')
    return `failed${ended.line === null ? '' : ` at line ${ended.line}`}: ${ended.message}`
  if (ended.kind === 'time') return `was stopped: it took longer than ${scriptTimeMs / 1000} seconds`
  if (ended.kind === 'aborted') return 'was stopped: the time of the whole run was up'
  if (ended.kind === 'exited')
    return `ended its process before it was done (${ended.signal ?? `exit code ${ended.code}`})`
  if (ended.kind === 'hidden')
    return `was stopped: the scripts of a run may make at most ${maxScriptItems} values of ${maxHiddenBytes / 1024} KB together secret`
  return 'was stopped: it wrote to a descriptor that is not its own'
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
