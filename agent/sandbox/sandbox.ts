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
 * The walls are the process, the agent's unprivileged user and its container. Node's permission model and the guards
 * of the program keep honest mistakes and simple attacks in; they are a seat-belt (docs/checks.md, "Scripts").
 */
import type { TimerClock } from '../../protocol/clock.ts'
import type { LogLine } from '../../protocol/result.ts'
import type { BrokerUser, OpenBroker } from '../broker/broker.ts'
import { CannotRun } from '../cannot-run.ts'
import { DeadlinePassed } from '../deadline.ts'
import type { Io } from '../io.ts'
import { createSemaphore } from '../semaphore.ts'
import { removeFolder, writeFolder } from './private-folder.ts'
import { loadProgram } from './program.ts'
import { runChild } from './run-child.ts'
import { installedModules, type Runtime } from './runtimes.ts'
import type { RuntimePackages, ScriptAnswer, ScriptTask } from './task.ts'

/** `hide`: a value that became a secret while the script ran. */
export type ScriptListener = {
  signal: AbortSignal
  say(level: LogLine['level'], msg: string): void
  hide(secret: string): void
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
  openBroker: OpenBroker
  extraCaCerts: string | null
  /** Scripts that run at once. */
  scriptConcurrency: number
  runtimes: readonly Runtime[]
}

/** Starts nothing before the first script. */
export const createSandbox = (options: SandboxOptions): RunScript => {
  const semaphore = createSemaphore(options.scriptConcurrency)
  let program: ReturnType<typeof loadProgram> | null = null
  return async (task, listener, io) => {
    if (!(await semaphore.acquire(listener.signal))) throw refusal(listener.signal, options.scriptConcurrency)
    try {
      program ??= loadProgram(options.host.execPath)
      const packages = packagesOf(task, options.runtimes)
      const { snippets } = task
      const folder = await writeFolder({ program: await program, snippets, modules: packages.modules })
      try {
        return await withBroker(options.openBroker, { io, say: listener.say }, (brokerPort) => {
          const hasProxy = io.egressRoute.proxy !== null
          return runChild(task, listener, { ...options, folder, packages, brokerPort, hasProxy })
        })
      } finally {
        await removeFolder(folder)
      }
    } catch (error) {
      // Perhaps the next one finds more memory, or a disk with room.
      if (error instanceof CannotRun) program = null
      throw error
    } finally {
      semaphore.release()
    }
  }
}

/** Whatever was opened through it ends with the script. */
const withBroker = async <T>(
  openBroker: OpenBroker,
  user: BrokerUser,
  run: (port: number) => Promise<T>,
): Promise<T> => {
  const broker = await openBroker()
  try {
    broker.serve(user)
    return await run(broker.port)
  } finally {
    await broker.close()
  }
}

const packagesOf = ({ runtimeId }: ScriptTask, runtimes: readonly Runtime[]): RuntimePackages => {
  const runtime = runtimes.find(({ id }) => id === runtimeId)
  if (runtime === undefined) return { names: null, modules: null }
  return { names: runtime.packages, modules: installedModules(runtime) }
}

const refusal = ({ reason }: AbortSignal, concurrency: number): unknown =>
  reason instanceof DeadlinePassed
    ? new CannotRun(
        `The script did not get its turn in time: ${concurrency} others were running. SCRIPT_CONCURRENCY allows more`,
      )
    : reason
