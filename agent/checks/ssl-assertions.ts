/** What SSL checks assert: facts of the certificate and of the connection by name, the whole as JSON or as text. */
import type { AssertionOutcome } from '../../protocol/assertion.ts'
import type { SslAssertion } from '../../protocol/checks/ssl.ts'
import type { SslResponse } from '../../protocol/checks/ssl-result.ts'
import { jsonSource, type Sources, textSource, valueSource } from '../assertions/sources.ts'
import type { Judge } from '../judging/judge.ts'

type SslSubject = { response: SslResponse; handshakeTime: number }

const own = (facts: object, property: string): unknown =>
  Object.hasOwn(facts, property) ? (facts as Record<string, unknown>)[property] : undefined

const sslSources: Sources<SslSubject> = {
  CERTIFICATE: valueSource('certificate', ({ response }, property) => own(response.certificate, property)),
  CONNECTION: valueSource('connection', ({ response }, property) =>
    property === 'tlsVersion' ? numberOfVersion(response.tlsVersion) : own(response, property),
  ),
  RESPONSE_TIME: valueSource('response time', ({ handshakeTime }) => handshakeTime),
  JSON_RESPONSE: jsonSource('TLS answer', ({ response }) => ({ value: response })),
  TEXT_RESPONSE: textSource('TLS answer', ({ response }) => textOf(response)),
}

export const judgeSsl = async (
  assertions: readonly SslAssertion[],
  subject: SslSubject,
  judge: Judge,
): Promise<AssertionOutcome[]> => {
  const outcomes = await judge.evaluate(assertions.map(inNumbers), subject, sslSources)
  return outcomes.map((outcome) => {
    const asked = assertions[outcome.order]
    if (asked === undefined || !isOfVersion(asked)) return outcome
    return { ...outcome, target: asked.target ?? '', actual: subject.response.tlsVersion }
  })
}

/** Versions have an order, which their numbers have and their names do not. */
const inNumbers = (assertion: SslAssertion): SslAssertion =>
  isOfVersion(assertion)
    ? { ...assertion, target: String(numberOfVersion(assertion.target ?? '')) }
    : assertion

const isOfVersion = ({ source, property }: SslAssertion): boolean =>
  source === 'CONNECTION' && property === 'tlsVersion'

const numberOfVersion = (version: string): number => Number(version.replace(/^TLSv?/i, '')) || 0

/** A line for each fact, as `name: value`. */
const textOf = ({ certificate, chain, securityBaseline, ...connection }: SslResponse): string =>
  [...Object.entries(connection), ...Object.entries(certificate)]
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : value}`)
    .concat(chain.map(({ subject }, index) => `chain ${index}: ${subject}`))
    .concat(securityBaseline === null ? [] : [`baseline: ${securityBaseline.verdict}`])
    .join('\n')
