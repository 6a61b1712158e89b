import { createSemaphore } from '../../protocol/semaphore.ts'
import { CannotRun } from '../base/cannot-run.ts'
import { DeadlinePassed } from '../base/deadline.ts'
import { missingIsolation } from '../isolation/missing-isolation.ts'
import { writeSnippets } from '../isolation/private-folder.ts'
import type { Io } from '../net/io.ts'
import { createPreparedChildren } from './prepared-children.ts'
import { runChild } from './run-child.ts'
import { browserPackages, installedModules, type Runtime } from './runtimes.ts'
import type { SandboxOptions, ScriptListener } from './sandbox-options.ts'
import { startChild } from './start-child.ts'
import type { RuntimePackages, ScriptAnswer, ScriptTask } from './task.ts'

/**
 * Rejects with CannotRun when this agent is at fault, and with the signal's reason when the run is cancelled. `io` is the run's: with it
 * everything connects that the script asks of the network.
 */
export type RunScript = (task: ScriptTask, listener: ScriptListener, io: Io) => Promise<ScriptAnswer>

/** `endScripts`: those that wait for a task end; called when no script runs any more. */
type Sandbox = { runScript: RunScript; endScripts(): Promise<void> }

/** Starts nothing before the first script. */
export const createSandbox = (options: SandboxOptions): Sandbox => {
  const semaphore = createSemaphore({ total: options.scriptConcurrency })
  const children = createPreparedChildren({
    start: (shape) => startChild(shape, options),
    max: options.preparedScripts,
    clock: options.clock,
    onError: ({ message }) => options.log.debug(`no process was prepared for scripts: ${message}`),
  })
  const runScript: RunScript = async (task, listener, io) => {
    const release = await semaphore.acquire({ signal: listener.signal })
    if (release === null) throw refusal(listener.signal, options.scriptConcurrency)
    try {
      await holdToIsolation(options)
      const packages = packagesOf(task, options.runtimes)
      const hasProxy = io.egressRoute.proxy !== null
      const child = await children.take({ modules: packages.modules, hasProxy })
      try {
        child.egressProxy.serve({ io, say: listener.say })
        const snippetFiles = await writeSnippets(child.folder, task.snippets)
        return await runChild(task, listener, { ...options, child, packages, snippetFiles, hasProxy })
      } finally {
        await child.end()
        await child.remove()
      }
    } finally {
      release()
    }
  }
  return { runScript, endScripts: children.close }
}

const holdToIsolation = async ({ scriptIsolation, isolation }: SandboxOptions): Promise<void> => {
  if (scriptIsolation === 'best') return
  const problem = missingIsolation((await isolation.status()).layers)
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
