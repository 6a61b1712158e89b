/** What the page of a result shows of an SSL check. */
import type { SslCheckResult, SslResponse } from '../../../../../protocol/checks/ssl-result.ts'
import { type Html, html } from '../../../../platform/web/html/html.ts'
import { say } from '../../../../platform/web/html/say.ts'
import { code, factList, folded, section } from '../../../../platform/web/html/section.ts'
import { daysInWords } from '../../../../platform/web/html/words.ts'
import { timingBar } from '../timing-bar.ts'

const yesOrNo = (holds: boolean, why: string | null): Html =>
  holds ? html`${say('yes')}` : html`<b>${say('no')}</b>${why === null ? null : html` ${why}`}`

export const sslSections = ({
  request,
  response,
  timingPhases: phases,
}: SslCheckResult): Array<Html | null> => [
  section(
    'Connection',
    factList([
      ['Target', code(`${request.hostname}:${request.port}`)],
      ['Name asked for', request.serverName === request.hostname ? null : code(request.serverName)],
      ['Address', response?.resolvedIp ? code(response.resolvedIp) : null],
      ['TLS', response?.tlsVersion ?? null],
      ['Cipher', response === null ? null : code(response.cipherSuite)],
      ['Answer of the authority', response === null ? null : ocspWords(response)],
    ]),
  ),
  response === null ? null : certificateSection(response),
  response === null ? null : baselineSection(response),
  timingBar(
    [
      { name: 'DNS', ms: phases.dns },
      { name: 'Connect', ms: phases.tcp },
      { name: 'TLS', ms: phases.tls },
    ],
    phases.total,
  ),
]

const ocspWords = ({ ocspStapled, ocspStatus }: SslResponse): Html =>
  ocspStapled ? html`<b>${ocspStatus ?? '?'}</b> (OCSP)` : html`${say('not sent along')}`

const certificateSection = ({
  certificate,
  chain,
  chainTrusted,
  chainError,
  hostnameVerified,
  nameError,
}: SslResponse): Html =>
  section('Certificate', [
    factList([
      ['Of', certificate.subject, 'wide'],
      ['Issued by', certificate.issuer, 'wide'],
      [
        'Valid until',
        html`${certificate.validTo.slice(0, 10)} (${daysInWords(certificate.daysUntilExpiry)})`,
      ],
      ['Trusted', yesOrNo(chainTrusted, chainError)],
      ['Has the name', yesOrNo(hostnameVerified, nameError)],
      ['Key', `${certificate.keyAlgorithm} ${certificate.keySizeBits}`],
      ['Signature', certificate.signatureAlgorithm],
      ['Names in it', certificate.sans.join(', '), 'wide'],
      ['Fingerprint', code(certificate.fingerprintSha256), 'wide'],
    ]),
    folded(
      'Chain',
      html`<ol class="plain">${chain.map(
        ({ subject, validTo, daysUntilExpiry }) =>
          html`<li>${subject} <span class="quiet">${validTo.slice(0, 10)} (${daysInWords(daysUntilExpiry)})</span></li>`,
      )}</ol>`,
    ),
  ])

const baselineSection = ({ securityBaseline: baseline }: SslResponse): Html | null =>
  baseline === null
    ? null
    : section('Security baseline', [
        factList([['Grade', html`<b>${baseline.grade}</b>`]]),
        folded(
          'Its rules',
          html`<ul class="plain">${baseline.rules.map(
            ({ rule, severity, passed, actual }) =>
              html`<li>${yesOrNo(passed, null)} <code>${rule}</code> ${actual} <span class="quiet">${severity}</span></li>`,
          )}</ul>`,
          baseline.verdict !== 'pass',
        ),
      ])
