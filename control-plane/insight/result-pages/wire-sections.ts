/** What TCP, DNS and ICMP runs asked and saw. Pure. */
import type { DnsCheckResult } from '../../../protocol/checks/dns-result.ts'
import type { IcmpCheckResult } from '../../../protocol/checks/icmp-result.ts'
import type { TcpCheckResult } from '../../../protocol/checks/tcp-result.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { block, code, cut, factList, folded, section } from './section.ts'
import { timingBar } from './timing-bar.ts'
import { bytes, milliseconds } from './words.ts'

const maxText = 4000

export const tcpSections = (
  { request, response, timingPhases: phases }: TcpCheckResult,
  showsData: boolean,
): Array<Html | null> => {
  const { resolvedIp, error, data, dataEncoding, dataBytes } = response
  return [
    section('Connection', [
      factList([
        ['Target', code(`${request.hostname}:${request.port}`)],
        ['Address', resolvedIp === null ? 'none found' : code(resolvedIp)],
        ['Error', error === null ? null : html`${code(error.code)} during ${error.syscall}`],
        ['Received', bytes(dataBytes)],
      ]),
      !showsData || data === '' || dataEncoding === 'base64'
        ? null
        : folded('Start of what the peer sent', block('Received data', cut(data, maxText)), true),
    ]),
    timingBar(
      [
        { name: 'DNS', ms: phases.dns },
        { name: 'Connect', ms: phases.connection },
        { name: 'Data', ms: phases.data },
      ],
      phases.total,
    ),
  ]
}

export const dnsSections = ({ request, nameServerInfo, response }: DnsCheckResult): Html[] => [
  section('Question and answer', [
    factList([
      ['Question', code(`${request.query} ${request.recordType}`)],
      [
        'Name server',
        nameServerInfo === null
          ? null
          : code(`${nameServerInfo.name} (${nameServerInfo.host}:${nameServerInfo.port})`),
      ],
      [
        'Answer',
        response === null ? 'None came' : html`<b>${response.returnCode}</b> over ${response.protocol}`,
      ],
      ['Records', response === null ? null : String(response.answer.Answer.length)],
    ]),
    response === null || response.text === ''
      ? null
      : folded('The answer', block('DNS answer', cut(response.text, maxText)), true),
  ]),
]

export const icmpSections = ({ request, response }: IcmpCheckResult): Html[] => {
  if (response === null)
    return [
      section(
        'Pings',
        factList([
          ['Target', code(request.hostname)],
          ['Sent', 'none'],
        ]),
      ),
    ]
  const { latency, pingResults } = response
  const inMs = (value: number | null): string | null => (value === null ? null : milliseconds(value))
  return [
    section('Pings', [
      factList([
        [
          'Target',
          html`${code(request.hostname)} ${request.hostname === response.resolvedIp ? null : code(response.resolvedIp)}`,
        ],
        ['Answered', `${response.packetsReceived} of ${response.packetsSent}`],
        ['Lost', `${Number(response.packetLoss.toFixed(1))} %`],
        ['Average', inMs(latency.avg)],
        ['Fastest', inMs(latency.min)],
        ['Slowest', inMs(latency.max)],
      ]),
      pingResults.length === 0
        ? null
        : folded(
            'Each ping',
            html`<ol class="plain">${pingResults
              .slice(0, 100)
              .map(
                ({ success, rtt, from, error }) =>
                  html`<li>${success ? (inMs(rtt) ?? 'answered') : (error ?? 'no answer')}${from === null ? null : html` <span class="quiet">from ${from}</span>`}</li>`,
              )}</ol>`,
          ),
    ]),
  ]
}
