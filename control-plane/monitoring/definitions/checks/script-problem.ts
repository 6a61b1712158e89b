/**
 * What no agent could parse of a script. Scripts are parsed in a thread, with bounds and never run; of what is too large, or
 * takes too long, nothing is said: its run will tell.
 */
import { createThreadPool } from '../../../alerting/templates/thread-pool.ts'
import type { App } from '../../../platform/app/app.ts'
import { perApp } from '../../../platform/app/per-app.ts'
import type { ScriptProblem, ScriptTask } from './script-thread.ts'

/** A quarter of a second's work for a thread that has just started. */
const maxLength = 256 * 1024
const maxWaiting = 20

const poolOf = perApp(() =>
  createThreadPool<ScriptTask, ScriptProblem | null>({
    program: new URL('./script-thread.ts', import.meta.url),
    maxThreads: 1,
    idleMs: 30_000,
    cpuMs: 2000,
    wallMs: 5000,
    memoryMb: 128,
  }),
)

/** Saving never fails by it. */
export const scriptProblem = async (
  app: App,
  task: ScriptTask,
  accountId: string,
): Promise<ScriptProblem | null> => {
  if (task.code.length > maxLength) return null
  try {
    return await poolOf(app).run(task, { key: accountId, maxWaiting })
  } catch (err) {
    app.log.warn({ err, accountId }, 'a script was not parsed')
    return null
  }
}

/** A snippet is a body of a function, or a file that others require: what one of both readings accepts is none. */
export const snippetProblem = async (
  app: App,
  code: string,
  accountId: string,
): Promise<ScriptProblem | null> => {
  const problem = await scriptProblem(app, { code, as: 'function' }, accountId)
  if (problem === null) return null
  return (await scriptProblem(app, { code, as: 'file' }, accountId)) === null ? null : problem
}
