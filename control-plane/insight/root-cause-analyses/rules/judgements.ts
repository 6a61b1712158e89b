/** The target answered, and the check did not like what it saw: assertions and thresholds. */

import { kindOf } from '../../../monitoring/definitions/checks/types/index.ts'
import { type Told, tell } from '../../../platform/words/told.ts'
import { type Facts, failedAssertion, hostOf } from '../facts.ts'
import { artifact, evidence, type Rule } from './rule.ts'

const failedOnes = ({ run }: Facts) =>
  run.assertions
    .filter(({ passed }) => !passed)
    .slice(0, 10)
    .map(({ source, property, comparison, target, actual, error }) =>
      evidence(
        `${source}${property ? ` ${property}` : ''} ${comparison} ${target}: ${error ?? 'does not hold'}; observed ${JSON.stringify(actual)?.slice(0, 300)}.`,
        artifact.assertions,
      ),
    )

const sourceIs =
  (...sources: string[]) =>
  (facts: Facts): boolean =>
    sources.includes(failedAssertion(facts)?.source ?? '')

const phaseNames: Record<string, Told> = {
  wait: tell`waiting for a free connection`,
  dns: tell`resolving the name`,
  tcp: tell`connecting`,
  connection: tell`connecting`,
  tls: tell`the TLS handshake`,
  firstByte: tell`waiting for the first byte, which is the time the server thinks`,
  data: tell`waiting for data`,
  download: tell`downloading the answer`,
}

const advice: Record<string, Told> = {
  dns: tell`Look at the resolver that the agent uses and at the authoritative servers of the name.`,
  tcp: tell`Look at the network path (loss, distance, VPN) and at the accept queue of the server.`,
  connection: tell`Look at the network path (loss, distance, VPN) and at the accept queue of the server.`,
  tls: tell`Look at the CPU of whatever ends TLS, and at OCSP or client certificate checks there.`,
  firstByte: tell`Look at the application: slow queries, locks, garbage collection, services it calls, missing capacity.`,
  data: tell`Look at the application behind the port: it accepts connections and is slow to speak.`,
  download: tell`Look at the size of the answer, at compression, and at bandwidth.`,
}

const slowestPhase = ({ run }: Facts): { name: string; ms: number; share: number } | null => {
  const phases = Object.entries(run.metrics).filter(([name]) => name in phaseNames)
  const [name, ms] = phases.sort(([, a], [, b]) => b - a)[0] ?? []
  if (name === undefined || ms === undefined || ms <= 0) return null
  return { name, ms, share: Math.min(100, Math.round((100 * ms) / Math.max(1, run.responseTime))) }
}

const slowness = (facts: Facts): Told => {
  const slowest = slowestPhase(facts)
  if (slowest === null || slowest.share < 40) return tell`No single phase explains it.`
  return tell`${slowest.share} % of it (${Math.round(slowest.ms)} ms) was ${phaseNames[slowest.name] ?? slowest.name}.`
}

const timings = (facts: Facts) => {
  const parts = Object.entries(facts.run.metrics).filter(([name]) => name in phaseNames || name === 'total')
  if (parts.length === 0) return []
  return [
    evidence(
      `Phases: ${parts.map(([name, ms]) => `${name} ${Math.round(ms)} ms`).join(', ')}.`,
      artifact.timings,
    ),
  ]
}

export const judgementRules: Rule[] = [
  {
    id: 'too-slow',
    classification: 'PERFORMANCE',
    applies: (facts) =>
      facts.run.failure === null &&
      (sourceIs('RESPONSE_TIME')(facts) || (facts.run.overMax && failedAssertion(facts) === undefined)),
    rootCause: (facts) =>
      tell`${hostOf(facts)} works but is too slow: ${Math.round(facts.run.responseTime)} ms${facts.run.overMax && facts.check.maxResponseTime !== null ? tell` against the limit of ${facts.check.maxResponseTime} ms` : ''}. ${slowness(facts)}`,
    userImpact: (facts) =>
      tell`Users of ${hostOf(facts)} wait about that long too, at least from ${facts.run.location}.`,
    fix: (facts) =>
      advice[slowestPhase(facts)?.name ?? ''] ??
      tell`Compare the phases with those of earlier runs. If the new time is acceptable, raise the threshold.`,
    evidence: (facts) => [...failedOnes(facts), ...timings(facts)],
  },
  {
    id: 'packets-lost',
    classification: 'NETWORK_ERROR',
    applies: (facts) => (facts.run.metrics['packetLoss'] ?? 0) > 0 || sourceIs('PACKET_LOSS')(facts),
    rootCause: (facts) =>
      (facts.run.metrics['packetLoss'] ?? 100) >= 100
        ? tell`${hostOf(facts)} answers no echo request at all: it is down, or ICMP is filtered on the way.`
        : tell`${facts.run.metrics['packetLoss']} % of the echo requests to ${hostOf(facts)} got no answer: congestion, a bad link, or a rate limit on ICMP.`,
    userImpact: () =>
      tell`Loss makes every connection slow and uneven; total loss means that the host cannot be reached, unless only ICMP is filtered.`,
    fix: () =>
      tell`Compare with a TCP or URL check of the same host: if that passes, ICMP alone is limited. Otherwise trace the route from the agent and look for the hop where the loss begins.`,
    evidence: (facts) => [
      ...failedOnes(facts),
      evidence(`Measured: ${JSON.stringify(facts.run.metrics)}`.slice(0, 500), artifact.metrics),
    ],
    links: [{ url: 'https://www.rfc-editor.org/rfc/rfc792', title: 'RFC 792: echo request and reply' }],
  },
  {
    id: 'dns-answer-differs',
    classification: 'DNS_ERROR',
    applies: (facts) =>
      kindOf(facts.check.type).asksForRecords === true &&
      (failedAssertion(facts) !== undefined || /RESPONSE_CODE|NOERROR/.test(facts.group.message)),
    rootCause: (facts) =>
      tell`The name server answers, but not what the check wants: ${failedAssertion(facts)?.error ?? facts.group.message}. A record was changed or removed, or this server has an old copy of the zone.`,
    userImpact: (facts) =>
      tell`Users are sent to where the present records of ${hostOf(facts)} point, or nowhere.`,
    fix: () =>
      tell`Compare the answer of the authoritative servers with that of the agent's resolver. If they differ, wait for the TTL or purge the cache; if they agree, look at who changed the zone.`,
    evidence: failedOnes,
    links: [
      {
        url: 'https://www.rfc-editor.org/rfc/rfc1035#section-4.1.1',
        title: 'RFC 1035 section 4.1.1: response codes',
      },
    ],
  },
  {
    id: 'content-differs',
    classification: 'ASSERTION_FAILED',
    applies: (facts) =>
      facts.run.failure === null &&
      sourceIs('JSON_BODY', 'TEXT_BODY', 'JSON_RESPONSE', 'TEXT_RESPONSE', 'RESPONSE_DATA')(facts),
    rootCause: (facts) =>
      tell`${hostOf(facts)} answers, but the content is not what the check wants: ${failedAssertion(facts)?.error ?? tell`an assertion fails`}.${facts.run.http?.contentType?.includes('html') && failedAssertion(facts)?.source.startsWith('JSON') ? tell` The answer is HTML where JSON is wanted: most likely an error or login page with a successful status.` : ''}`,
    userImpact: () => tell`Clients that rely on this part of the answer misbehave or fail.`,
    fix: () =>
      tell`Compare the observed value with the wanted one: a changed interface, missing or stale data, and an error page sent with status 200 are the usual causes. If the new content is right, change the assertion.`,
    evidence: (facts) => [
      ...failedOnes(facts),
      evidence(
        `The answer was ${facts.run.http?.bodyBytes ?? 0} bytes of ${facts.run.http?.contentType ?? 'an unknown type'}.`,
        artifact.response,
      ),
    ],
  },
  {
    id: 'headers-differ',
    classification: 'ASSERTION_FAILED',
    applies: (facts) => facts.run.failure === null && sourceIs('HEADERS', 'RESPONSE_HEADERS')(facts),
    rootCause: (facts) =>
      tell`${hostOf(facts)} answers, but a header is not what the check wants: ${failedAssertion(facts)?.error ?? tell`an assertion fails`}. Headers are often added by proxies and CDNs.`,
    userImpact: () =>
      tell`Depends on the header: caching, security policies or downloads may behave differently.`,
    fix: () =>
      tell`See whether the application or something in front of it sets this header, and what was changed there last.`,
    evidence: failedOnes,
  },
  {
    id: 'assertion-failed',
    classification: 'ASSERTION_FAILED',
    applies: (facts) => facts.run.failure === null && failedAssertion(facts) !== undefined,
    rootCause: (facts) =>
      tell`The target answers, but an assertion of the check does not hold: ${failedAssertion(facts)?.error ?? failedAssertion(facts)?.source}.`,
    userImpact: () => tell`Depends on what the assertion stands for.`,
    fix: () =>
      tell`Compare the observed value with the wanted one. If the new value is right, change the assertion.`,
    evidence: failedOnes,
  },
]
