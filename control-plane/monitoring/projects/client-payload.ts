/** What command-line clients call by other names than the API, or send beside what it knows. Pure. */
import type { Violation } from '../../../protocol/validate.ts'
import { violation } from '../../platform/words/errors.ts'

type Values = Record<string, unknown>
type SharedFiles = ReadonlyArray<{ path: string; content: string }>

/** Said for other services' runners, and without effect where a type does not know it. */
const withoutEffect = [
  ...['cacheHash', 'browsers', 'playwrightVersion', 'engineVersion', 'snapshots', 'playwrightConfig'],
  ...['setupScriptPath', 'setupScriptDependencies', 'tearDownScriptPath', 'tearDownScriptDependencies'],
  ...['sslCheckDomain', 'codeBundlePath', 'agentRuntime'],
]

/** Fields that clients send for every type, as they stand where nobody chose them. */
const unchosen: Values = { doubleCheck: false, shouldFail: false, retryStrategy: null, runParallel: false }

export const checkFromClient = (
  payload: Values,
  sharedFiles: SharedFiles,
  takes: (field: string) => boolean,
): { payload: Values; problems: Violation[] } => {
  const problems = ['setupScriptDependencies', 'tearDownScriptDependencies'].flatMap((field) =>
    Array.isArray(payload[field]) && payload[field].length > 0
      ? [violation(field, 'supported', 'is not run here: put the code into one file, or into a snippet')]
      : [],
  )
  const kept = Object.entries(payload).filter(
    ([name, value]) => takes(name) || (!withoutEffect.includes(name) && unchosen[name] !== value),
  )
  const check: Values = Object.fromEntries(kept)
  if (Array.isArray(check['dependencies']))
    check['dependencies'] = check['dependencies'].map((one) =>
      typeof one === 'number' ? sharedFiles[one] : one,
    )
  return { payload: check, problems }
}
