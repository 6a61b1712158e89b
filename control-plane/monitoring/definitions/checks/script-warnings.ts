/**
 * What is said when a check is written with a script that no agent could parse. Scripts are parsed in a thread, with bounds
 * and never run; of what is too large, or takes too long, nothing is said: its run will tell.
 */
import { createThreadPool } from '../../../alerting/templates/thread-pool.ts'
import type { App } from '../../../platform/app/app.ts'
import { perApp } from '../../../platform/app/per-app.ts'
import type { CheckWarning } from './run-warnings.ts'
import type { Check } from './schema.ts'
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

export const scriptWarnings = async (app: App, check: Check, accountId: string): Promise<CheckWarning[]> => {
  const warnings: CheckWarning[] = []
  for (const { name, code, as } of scriptsOf(check)) {
    const problem = code.length > maxLength ? null : await problemOf(app, { code, as }, accountId)
    if (problem === null) continue
    const { line, message } = problem
    const where = line === null ? '' : `, line ${line}`
    warnings.push({ location: null, message: `${name} cannot be parsed${where}: ${message}` })
  }
  return warnings
}

type NamedScript = ScriptTask & { name: string }

/** Node and Playwright tell JSX by the ending of the file, and nothing here parses that. */
const scriptsOf = ({ script, scriptPath, localSetupScript, localTearDownScript }: Check): NamedScript[] => [
  ...named('The script', /x$/.test(scriptPath ?? '') ? null : script, 'file'),
  ...named('The setup script', localSetupScript, 'function'),
  ...named('The teardown script', localTearDownScript, 'function'),
]

const named = (name: string, code: string | null | undefined, as: ScriptTask['as']): NamedScript[] =>
  code ? [{ name, code, as }] : []

/** Saving never fails by it. */
const problemOf = async (app: App, task: ScriptTask, key: string): Promise<ScriptProblem | null> => {
  try {
    return await poolOf(app).run(task, { key, maxWaiting })
  } catch (err) {
    app.log.warn({ err, accountId: key }, 'a script was saved without being parsed')
    return null
  }
}
