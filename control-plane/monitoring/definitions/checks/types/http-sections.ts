/** What an HTTP run asked and was answered. Request headers and bodies are not shown: they are where credentials are. Pure. */
import type { HttpCheckResult } from '../../../../../protocol/checks/http-result.ts'
import { maskUrl } from '../../../../platform/services/secrets/masks.ts'
import { type Html, html } from '../../../../platform/web/html/html.ts'
import { count, say } from '../../../../platform/web/html/say.ts'
import {
  block,
  code,
  cut,
  type Fact,
  factList,
  folded,
  section,
} from '../../../../platform/web/html/section.ts'
import { bytes, daysInWords } from '../../../../platform/web/html/words.ts'
import { timingBar } from '../timing-bar.ts'

const maxBody = 4000
/** Answers hand credentials out as well, whatever their values are. */
const sensitiveHeader = /cookie|authoriz|token|secret|api-?key|password|session|signature|csrf|xsrf/i

type Response = NonNullable<HttpCheckResult['response']>

/** `showsBody`: the body matters when the answer was wrong, and stays private when it was right. */
export const httpSections = (result: HttpCheckResult, showsBody: boolean): Array<Html | null> => {
  const { request, response } = result
  const asked: Fact = ['Request', code(`${request.method} ${maskUrl(request.url)}`), 'wide']
  if (response === null) return [section('Request', factList([asked, ['Answer', say('None came')]]))]
  const { timingPhases: phases } = response
  return [
    section('Request and answer', [
      factList([asked, ...answerFacts(response)]),
      response.redirects.length === 0 ? null : redirects(response),
      folded(
        count(Object.keys(response.headers).length, {
          one: '# response header',
          other: '# response headers',
        }),
        headers(response),
      ),
      showsBody ? body(response) : null,
    ]),
    timingBar(
      [
        { name: say('Waiting'), ms: phases.wait },
        { name: 'DNS', ms: phases.dns },
        { name: say('Connect'), ms: phases.tcp },
        { name: 'TLS', ms: phases.tls },
        { name: say('First byte'), ms: phases.firstByte },
        { name: say('Download'), ms: phases.download },
      ],
      phases.total,
    ),
    certificate(response),
  ]
}

const answerFacts = ({
  href,
  status,
  statusText,
  httpVersion,
  remoteAddress,
  bodyBytes,
  redirects,
}: Response): Fact[] => [
  ['Answered by', redirects.length === 0 ? null : code(maskUrl(href)), 'wide'],
  ['Status', html`<b>${status}</b> ${statusText}`],
  ['Address', remoteAddress === null ? null : code(remoteAddress)],
  ['Protocol', httpVersion === '' ? null : `HTTP/${httpVersion}`],
  ['Size', bytes(bodyBytes)],
]

const redirects = ({ redirects: followed }: Response): Html =>
  folded(
    count(followed.length, { one: '# redirect', other: '# redirects' }),
    html`<ol class="plain">${followed.map(({ status, to }) => html`<li>${status} → <code>${maskUrl(to)}</code></li>`)}</ol>`,
  )

const headers = (response: Response): Html =>
  html`<table><tbody>${Object.entries(response.headers).map(
    ([name, value]) =>
      html`<tr><th scope="row">${name}</th><td>${sensitiveHeader.test(name) ? html`<em>not shown here</em>` : [value].flat().map((each) => html`<div>${cut(maskUrl(each), 1000)}</div>`)}</td></tr>`,
  )}</tbody></table>`

const body = ({ body: text, bodyEncoding, bodyBytes }: Response): Html | null => {
  if (text === '') return null
  if (bodyEncoding === 'base64') return html`<p class="quiet">The body is not text (${bytes(bodyBytes)}).</p>`
  return folded('Start of the response body', block('Response body', cut(text, maxBody)), true)
}

const certificate = ({ certificate: found }: Response): Html | null => {
  if (found === null) return null
  const { subject, issuer, validTo, daysRemaining, authorized, protocol } = found
  return section(
    'Certificate',
    factList([
      ['Of', subject],
      ['Issued by', issuer],
      ['Valid until', html`${validTo.slice(0, 10)} (${daysInWords(daysRemaining)})`],
      ['Trusted', authorized ? say('yes') : html`<b>no</b>`],
      ['TLS', protocol],
    ]),
  )
}
