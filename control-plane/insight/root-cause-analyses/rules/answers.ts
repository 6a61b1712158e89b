/** The connection stood, but no usable answer came of it. */
import { tell } from '../../../platform/words/told.ts'
import { codeOf, hostOf, messageOf } from '../facts.ts'
import { artifact, evidence, type Rule, rfc } from './rule.ts'

export const answerRules: Rule[] = [
  {
    id: 'no-answer-in-time',
    classification: 'TIMEOUT',
    applies: (facts) => /had not answered when|Timeout awaiting|ERR_TIMED_OUT/.test(messageOf(facts)),
    rootCause: (facts) =>
      tell`${hostOf(facts)} took the request and did not begin to answer before the time limit. Name, connection and TLS worked: the application is stuck or waits for something, 
        such as a lock, the database or another service.`,
    userImpact: (facts) => tell`Users of ${hostOf(facts)} wait until they give up.`,
    fix: () =>
      tell`Look at the application while it hangs: thread or request dump, slow queries, locks, exhausted connection pools, time-outs of services it calls. If the work is really that long, answer 202 and do it later.`,
    evidence: ({ run }) => [
      evidence(
        `Nothing had arrived after ${Math.round(run.responseTime)} ms.`,
        artifact.timings,
        artifact.request,
      ),
    ],
    links: [rfc(9110, '15.6.5', '504 Gateway Timeout')],
  },
  {
    id: 'download-too-slow',
    classification: 'TIMEOUT',
    applies: (facts) => /was still sending its answer/.test(messageOf(facts)),
    rootCause: (facts) =>
      tell`${hostOf(facts)} began to answer but was not done before the time limit: the answer is very large, is produced slowly, or never ends (a stream).`,
    userImpact: () => tell`Users see a page that keeps loading.`,
    fix: () =>
      tell`Compare the size of the answer with earlier runs and look at the bandwidth between agent and target. A stream or long poll cannot be checked like this: use an address that ends.`,
    evidence: ({ run }) =>
      run.http === null ? [] : [evidence(`${run.http.bodyBytes} bytes had arrived.`, artifact.timings)],
  },
  {
    id: 'redirect-loop',
    classification: 'CONFIGURATION_ERROR',
    applies: (facts) =>
      codeOf(facts) === 'TOO_MANY_REDIRECTS' || /ERR_TOO_MANY_REDIRECTS/.test(messageOf(facts)),
    rootCause: (facts) =>
      tell`${hostOf(facts)} redirects in circles. Typical: the application redirects to https while the proxy speaks plain HTTP to it, two rules disagree about "www", or a login page needs a login.`,
    userImpact: () => tell`Browsers stop with "redirected too many times": nobody sees the page.`,
    fix: () =>
      tell`Follow the chain below: the address that comes twice names the two rules that disagree. Behind a proxy that ends TLS make the application trust \`X-Forwarded-Proto\`.`,
    evidence: ({ run }) =>
      (run.http?.redirects ?? []).length === 0
        ? []
        : [
            evidence(
              `The chain: ${run.http?.redirects.map(({ status, from, to }) => `${from} –${status}→ ${to}`).join('; ')}`.slice(
                0,
                2000,
              ),
              artifact.redirects,
            ),
          ],
    links: [rfc(9110, '15.4', 'redirection 3xx')],
  },
  {
    id: 'redirect-to-nowhere',
    classification: 'CONFIGURATION_ERROR',
    applies: (facts) => codeOf(facts) === 'INVALID_REDIRECT',
    rootCause: (facts) =>
      tell`${messageOf(facts)}. The \`Location\` header is malformed or leads out of the web.`,
    userImpact: () => tell`Browsers show an error or offer to open another program.`,
    fix: () =>
      tell`Find the rule that writes this \`Location\` header; an empty variable in it is the usual cause.`,
    links: [rfc(9110, '10.2.2', 'Location')],
  },
  {
    id: 'only-http2',
    classification: 'CONFIGURATION_ERROR',
    applies: (facts) => ['HTTP2_ONLY', 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'].includes(codeOf(facts)),
    rootCause: (facts) =>
      tell`${messageOf(facts)}. The check speaks HTTP/1.1, and this port is for clients of HTTP/2 alone, such as those of gRPC.`,
    userImpact: () => tell`Browsers and clients of HTTP/2 may well be served; those of HTTP/1.1 are not.`,
    fix: () =>
      tell`Let the server offer \`http/1.1\` beside \`h2\` (ALPN), or let the check ask the address that browsers use. For a port of gRPC a TCP check, or an HTTP health endpoint beside it, says whether it is there.`,
    links: [rfc(9113, '3.3', 'starting HTTP/2 with prior knowledge')],
  },
  {
    id: 'answer-malformed',
    classification: 'APPLICATION_ERROR',
    applies: (facts) =>
      ['MALFORMED_RESPONSE', 'HEADERS_TOO_LARGE', 'CONTENT_DECODING'].includes(codeOf(facts)) ||
      /^HPE_/.test(codeOf(facts)) ||
      /ERR_INVALID_HTTP_RESPONSE|ERR_CONTENT_DECODING/.test(messageOf(facts)),
    rootCause: (facts) =>
      tell`${messageOf(facts)}. What arrived is not valid HTTP or not in the encoding it claims: another protocol on this port, a proxy that mixes up compression, or a server that writes headers by hand.`,
    userImpact: () => tell`Strict clients fail; lenient browsers may still show something.`,
    fix: () =>
      tell`Ask for the same address with \`curl -v\` and compare \`Content-Encoding\`, \`Content-Length\` and the first bytes of the body with what the headers say.`,
    links: [rfc(9112, '2', 'message format')],
  },
  {
    id: 'address-invalid',
    classification: 'CONFIGURATION_ERROR',
    applies: (facts) => codeOf(facts) === 'INVALID_URL',
    rootCause: () =>
      tell`The address of the check is not a valid http or https URL, so that nothing was sent.`,
    userImpact: () => tell`None: the target was never asked.`,
    fix: () =>
      tell`Correct the address. If it is put together from variables, one of them is empty or wrong in this location.`,
    links: [rfc(3986, '3', 'syntax components')],
  },
]
