/** What is said when a check or a group is written with a script that no agent could parse. */
import type { App } from '../../../platform/app/app.ts'
import type { Check } from './schema.ts'
import { scriptProblem } from './script-problem.ts'
import type { ScriptTask } from './script-thread.ts'
import type { CheckWarning } from './shared-fields.ts'

type Scripts = Partial<Pick<Check, 'script' | 'scriptPath' | 'localSetupScript' | 'localTearDownScript'>>

export const scriptWarnings = async (
  app: App,
  scripts: Scripts,
  accountId: string,
): Promise<CheckWarning[]> => {
  const warnings: CheckWarning[] = []
  for (const { name, ...task } of scriptsOf(scripts)) {
    const problem = await scriptProblem(app, task, accountId)
    if (problem === null) continue
    const where = problem.line === null ? '' : `, line ${problem.line}`
    warnings.push({ location: null, message: `${name} cannot be parsed${where}: ${problem.message}` })
  }
  return warnings
}

type NamedScript = ScriptTask & { name: string }

/** Node and Playwright tell JSX by the ending of the file, and nothing here parses that. */
const scriptsOf = ({ script, scriptPath, localSetupScript, localTearDownScript }: Scripts): NamedScript[] => [
  ...named('The script', /x$/.test(scriptPath ?? '') ? null : script, 'file'),
  ...named('The setup script', localSetupScript, 'function'),
  ...named('The teardown script', localTearDownScript, 'function'),
]

const named = (name: string, code: string | null | undefined, as: ScriptTask['as']): NamedScript[] =>
  code ? [{ name, code, as }] : []
