/**
 * Runs code of users: the setup and teardown scripts of API checks, each in a process of its own.
 *
 * Words: a *task* is a script with what it may see, its *answer* what it changed, the *program* our own code inside the
 * child process (`child/`). The *private folder* holds the program, the snippets and a link to the packages of the script's
 * runtime, and is gone when the script is.
 *
 * Invariants: nothing of the agent's own (environment, key, spool, other jobs) enters the child; what comes out of it is
 * untrusted, so it is bounded and validated; whatever the script does, its process group is gone when `runScript` ends. A
 * script that fails is an answer. That a script could not be started is CannotRun, never the check's failure.
 *
 * What holds a script are walls that the kernel keeps (`agent/walls/`), as far as this machine has them (docs/security.md).
 * Node's permission model and the guards of the program are a seat-belt: they say in words what is refused.
 */
import type { TimerClock } from '../../protocol/clock.ts'
import type { LogLine } from '../../protocol/result.ts'
import { CannotRun } from '../base/cannot-run.ts'
import { DeadlinePassed } from '../base/deadline.ts'
import { createSemaphore } from '../base/semaphore.ts'
import type { OpenBroker } from '../broker/broker.ts'
import type { Io, Log } from '../net/io.ts'
import { missingWalls } from '../walls/missing-walls.ts'
import { writeSnippets } from '../walls/private-folder.ts'
import type { Program } from '../walls/program.ts'
import type { Walls } from '../walls/walls.ts'
import { createPreparedChildren } from './prepared-children.ts'
import { runChild } from './run-child.ts'
import { browserPackages, installedModules, type Runtime } from './runtimes.ts'
import { startChild } from './start-child.ts'
import type { RuntimePackages, ScriptAnswer, ScriptTask } from './task.ts'

/** `hide`: a value that became a secret while the script ran; false: there are too many for all to be hidden. */
export type ScriptListener = {
  signal: AbortSignal
  say(level: LogLine['level'], msg: string): void
  hide(secret: string): boolean
}

/**
 * Rejects with CannotRun when this agent is at fault, and with the signal's reason when the run is cancelled. `io` is the run's: with it
 * everything connects that the script asks of the network.
 */
export type RunScript = (task: ScriptTask, listener: ScriptListener, io: Io) => Promise<ScriptAnswer>

/** This program's own Node, and a way to signal processes and, with a negative number, their groups. */
export type Host = { execPath: string; kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void }

export type SandboxOptions = {
  host: Host
  clock: TimerClock
  log: Pick<Log, 'debug'>
  extraCaCerts: string | null
  /** Scripts that run at once. */
  scriptConcurrency: number
  /** Children that may wait for scripts. */
  preparedScripts: number
  runtimes: readonly Runtime[]
  program(): Promise<Program>
  walls: Walls
  /** `required`: no script runs unless all necessary walls stand. */
  scriptIsolation: 'required' | 'best'
  /** Opens the way out of each child, before there is a script for it. */
  openBroker: OpenBroker
}

/** `endScripts`: those that wait for a task end; called when no script runs any more. */
export type Sandbox = { runScript: RunScript; endScripts(): Promise<void> }

/** Starts nothing before the first script. */
export const createSandbox = (options: SandboxOptions): Sandbox => {
  const semaphore = createSemaphore(options.scriptConcurrency)
  const children = createPreparedChildren({
    start: (shape) => startChild(shape, options),
    most: options.preparedScripts,
    clock: options.clock,
    onProblem: ({ message }) => options.log.debug(`no process was prepared for scripts: ${message}`),
  })
  const runScript: RunScript = async (task, listener, io) => {
    if (!(await semaphore.acquire(listener.signal))) throw refusal(listener.signal, options.scriptConcurrency)
    try {
      await holdToIsolation(options)
      const packages = packagesOf(task, options.runtimes)
      const hasProxy = io.egressRoute.proxy !== null
      const child = await children.take({ modules: packages.modules, hasProxy })
      try {
        child.broker.serve({ io, say: listener.say })
        const snippetFiles = await writeSnippets(child.folder, task.snippets)
        return await runChild(task, listener, { ...options, child, packages, snippetFiles, hasProxy })
      } finally {
        await child.end()
        await child.remove()
      }
    } finally {
      semaphore.release()
    }
  }
  return { runScript, endScripts: children.close }
}

const holdToIsolation = async ({ scriptIsolation, walls }: SandboxOptions): Promise<void> => {
  if (scriptIsolation === 'best') return
  const problem = missingWalls((await walls.standing()).walls)
  if (problem !== null) throw new CannotRun(problem)
}

const packagesOf = ({ runtimeId }: ScriptTask, runtimes: readonly Runtime[]): RuntimePackages => {
  const runtime = runtimes.find(({ id }) => id === runtimeId)
  if (runtime === undefined) return { names: null, modules: null }
  const names = runtime.packages.filter((name) => !browserPackages.includes(name))
  return { names, modules: installedModules(runtime) }
}

const refusal = ({ reason }: AbortSignal, concurrency: number): unknown =>
  reason instanceof DeadlinePassed
    ? new CannotRun(
        `The script did not get its turn in time: ${concurrency} others were running. SCRIPT_CONCURRENCY allows more`,
      )
    : reason
