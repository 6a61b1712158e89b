/** An answer arrived, and its status says what is wrong (RFC 9110 section 15). */
import { type Told, tell } from '../../../platform/words/told.ts'
import { type Facts, failedAssertion, failingStatus, hostOf } from '../facts.ts'
import { artifact, evidence, type Rule, rfc } from './rule.ts'

const is =
  (...statuses: number[]) =>
  (facts: Facts): boolean =>
    statuses.includes(failingStatus(facts) ?? 0)

const between =
  (low: number, high: number) =>
  (facts: Facts): boolean => {
    const status = failingStatus(facts)
    return status !== null && status >= low && status <= high
  }

const url = ({ run }: Facts): string => `${run.http?.method ?? 'GET'} ${run.http?.url ?? ''}`.trim()

const answered = (facts: Facts) => {
  const { http } = facts.run
  if (http === null) return []
  const { status, statusText, server, contentType, bodyBytes } = http
  const wanted = failedAssertion(facts)
  const by = server === null ? '' : ` by "${server}"`
  return [
    evidence(
      `Answered${by} with ${status} ${statusText}`.trimEnd() +
        `: ${bodyBytes} bytes of ${contentType ?? 'an unknown type'}.`,
      artifact.request,
      artifact.response,
    ),
    ...(wanted
      ? [
          evidence(
            `The check wants something else: ${wanted.error ?? wanted.comparison}.`,
            artifact.assertions,
          ),
        ]
      : []),
  ]
}

const withRetryAfter = (told: Told, { run }: Facts): Told =>
  run.http?.retryAfter
    ? tell`${told} ${tell`The answer asks to wait (\`Retry-After: ${run.http.retryAfter}\`).`}`
    : told

export const statusRules: Rule[] = [
  {
    id: 'redirected-elsewhere',
    classification: 'CONFIGURATION_ERROR',
    applies: between(300, 399),
    rootCause: (facts) =>
      tell`${url(facts)} answers with a redirect (${failingStatus(facts)}) to ${facts.run.http?.location ?? tell`another address`}, and the check does not take that for an answer.`,
    userImpact: () =>
      tell`Browsers follow the redirect: users may not notice, if it leads to the right place.`,
    fix: () =>
      tell`If the move is meant, change the address of the check or turn on \`followRedirects\`. If not, look for a new rule in the proxy, a forced login, or a changed canonical host name.`,
    evidence: answered,
    links: [rfc(9110, '15.4', 'redirection 3xx')],
  },
  {
    id: 'credentials-refused',
    classification: 'AUTHENTICATION_ERROR',
    applies: is(401, 403, 407),
    rootCause: (facts) =>
      failingStatus(facts) === 403
        ? tell`The server understood ${url(facts)} and refuses it (403): the credentials lack a permission, or a firewall in front blocks the agent's address or user agent.`
        : tell`The server wants valid credentials for ${url(facts)} (${failingStatus(facts)}): the ones that the check sends are missing, expired or revoked.`,
    userImpact: () =>
      tell`Users with valid credentials may be unaffected; if the sign-in service itself is broken, nobody gets in.`,
    fix: () =>
      tell`Try the request with fresh credentials. Look for a rotated or expired token in the check's variables and headers; for 403 also at changed permissions and at the rules of the web application firewall.`,
    evidence: answered,
    links: [rfc(9110, '15.5.2', '401 Unauthorized'), rfc(9110, '15.5.4', '403 Forbidden')],
  },
  {
    id: 'not-there',
    classification: 'APPLICATION_ERROR',
    applies: is(404, 410),
    rootCause: (facts) =>
      tell`The server is up but knows nothing at this address: ${url(facts)} answers ${failingStatus(facts)}. The page or route was moved, removed, or is missing from what was deployed last.`,
    userImpact: (facts) =>
      tell`Users of this address of ${hostOf(facts)} get an error page; others may not notice.`,
    fix: () =>
      tell`Was something deployed when it began? Check the routes of that release, the path prefix of the proxy, and whether the static files were uploaded. If the move is meant, change the check.`,
    evidence: answered,
    links: [rfc(9110, '15.5.5', '404 Not Found')],
  },
  {
    id: 'too-many-requests',
    classification: 'RATE_LIMITED',
    applies: is(429),
    rootCause: (facts) =>
      withRetryAfter(
        tell`The server limits the rate of requests (429) and counts the check among the callers that are over it.`,
        facts,
      ),
    userImpact: () => tell`Users are hit if the limit is shared with them; otherwise only the monitoring is.`,
    fix: () =>
      tell`Exempt the agents' addresses or key from the limit, or run the check less often or in fewer locations at once. If real traffic grew, raise the limit.`,
    evidence: answered,
    links: [rfc(6585, '4', '429 Too Many Requests')],
  },
  {
    id: 'gateway-without-backend',
    classification: 'INFRA_ERROR',
    applies: is(502, 503, 504),
    rootCause: (facts) =>
      withRetryAfter(
        (
          {
            502: tell`A proxy in front of ${hostOf(facts)} got no valid answer from the application behind it (502): the backend refuses connections or dies while answering.`,
            503: tell`${hostOf(facts)} says that it is not available (503): no healthy backend is left, it is overloaded, or it is in maintenance.`,
            504: tell`A proxy in front of ${hostOf(facts)} waited for the application and gave up (504): the backend is up but too slow, or cannot be reached from the proxy.`,
          } as Record<number, Told>
        )[failingStatus(facts) ?? 503] ??
          tell`${hostOf(facts)} says that it is not available (503): no healthy backend is left, it is overloaded, or it is in maintenance.`,
        facts,
      ),
    userImpact: (facts) => tell`Users get an error page from ${hostOf(facts)}.`,
    fix: () =>
      tell`Look at the health of the backends behind the proxy: are processes running and passing their health checks, was something deployed, are connections to the database or to another service exhausted?`,
    evidence: (facts) => [
      ...answered(facts),
      ...(facts.run.http?.phases.firstByte
        ? [
            evidence(
              `The answer took ${Math.round(facts.run.http.phases.firstByte)} ms to begin.`,
              artifact.timings,
            ),
          ]
        : []),
    ],
    links: [rfc(9110, '15.6', 'server error 5xx')],
  },
  {
    id: 'server-error',
    classification: 'APPLICATION_ERROR',
    applies: between(500, 599),
    rootCause: (facts) =>
      tell`The application failed while handling ${url(facts)} (${failingStatus(facts)}). Name, network, TLS and the server in front work: the fault is in the code behind this address or in what it depends on.`,
    userImpact: (facts) => tell`Users who do the same at ${hostOf(facts)} get an error.`,
    fix: () =>
      tell`Find this request in the application's error log by its time and path: the stack trace there names the fault. Then: what was deployed or migrated before the first failure, and do the database and the services it calls answer?`,
    evidence: answered,
    links: [rfc(9110, '15.6.1', '500 Internal Server Error')],
  },
  {
    id: 'request-refused',
    classification: 'CONFIGURATION_ERROR',
    applies: between(400, 499),
    rootCause: (facts) =>
      tell`${`The server refuses the request itself: ${url(facts)} answers ${failingStatus(facts)} ${facts.run.http?.statusText ?? ''}`.trimEnd()}. Either the interface has changed, or the check sends what it should not.`,
    userImpact: () =>
      tell`Clients that send the same request fail too, for example older versions of an app.`,
    fix: () =>
      tell`Compare the check's method, headers, parameters and body with what the interface wants now; look for a recent change of either side.`,
    evidence: answered,
    links: [rfc(9110, '15.5', 'client error 4xx')],
  },
  {
    id: 'unexpected-success',
    classification: 'ASSERTION_FAILED',
    applies: between(200, 299),
    rootCause: (facts) =>
      tell`The server answers ${url(facts)} with ${failingStatus(facts)}, but the check wants another status: ${failedAssertion(facts)?.error ?? tell`its assertion on the status fails`}.`,
    userImpact: () => tell`Probably none: the request succeeds.`,
    fix: () =>
      tell`If the new status is right, change the assertion. If not, something answers that should not: look for a missing access rule.`,
    evidence: answered,
    links: [rfc(9110, '15.3', 'successful 2xx')],
  },
]
