import type { Observation } from '../../protocol/result.ts'
import { isSilentLookup } from '../net/connect/failures.ts'
import type { Silence } from './evidence.ts'

const silentLookups: ReadonlySet<string> = new Set(['EAI_AGAIN', 'ETIMEOUT', 'ESERVFAIL'])

/** A refused connection, a closed one and a bad certificate are answers: somebody is there. */
const silentTargets: ReadonlySet<string> = new Set([
  ...['TIMEOUT', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'NO_REPLY'],
  // It is not known what a script wanted to reach.
  ...['SETUP_SCRIPT_FAILED', 'TEARDOWN_SCRIPT_FAILED'],
])

/** Of what came from whoever is there. That a name does not exist may be known without any network. */
const answers =
  /^(HTTP_STATUS|DNS_RESPONSE_CODE|MALFORMED_RESPONSE|ECONNREFUSED|ECONNRESET|EPIPE|.*CERT.*|ERR_(TLS|SSL)_.*)$/

/** Whether the target itself has answered, however badly; of what was no silence. */
export const isAnswer = ({ failure }: Pick<Observation, 'failure'>): boolean =>
  failure === null || answers.test(failure.code.replace(/^PROXY_/, ''))

/** `host`: whom the run spoke to, empty for this machine's name servers. Null: somebody answered, or it did not fail. */
export const silenceOf = ({ failure }: Pick<Observation, 'failure'>, host: string): Silence | null => {
  const code = failure?.code.replace(/^PROXY_/, '') ?? ''
  if (silentLookups.has(code) || (failure !== null && isSilentLookup(failure))) return 'lookup'
  if (!silentTargets.has(code)) return null
  return host === '' ? 'lookup' : 'target'
}
