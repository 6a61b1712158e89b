import { domainToASCII } from 'node:url'
import { AUTHENTIC_DATA, encode, type Question as PacketQuestion, RECURSION_DESIRED } from 'dns-packet'
import type { DnsRequest } from '../../protocol/checks/dns.ts'

export type RecordType = DnsRequest['recordType']

/** `name` is ASCII without the final dot, and empty for the root. */
export type Question = { name: string; type: RecordType }

/** What a name server may send in one datagram: no network that carries IPv6 splits it (RFC 9715). */
const datagramBytes = 1232

/** Types that dns-packet knows by number only. */
const packetTypes: Partial<Record<RecordType, string>> = { HTTPS: 'UNKNOWN_65' }

/** The name as it is asked for (RFC 1035 section 2.3.4, RFC 5891), or null if it cannot be one. */
export const nameOfQuery = (query: string): string | null => {
  const ascii = /^[\x21-\x7e]+$/.test(query) ? query : domainToASCII(query)
  const name = ascii.endsWith('.') ? ascii.slice(0, -1) : ascii
  if (name === '') return query === '.' ? '' : null
  const fits = name.length <= 253 && name.split('.').every((label) => label !== '' && label.length <= 63)
  return fits ? name : null
}

/** A message that asks for recursion, and to be told whether the answer was validated. */
export const questionMessage = ({ name, type }: Question, id: number, extended: boolean): Buffer =>
  encode({
    type: 'query',
    id,
    flags: RECURSION_DESIRED | AUTHENTIC_DATA,
    questions: [{ name: name === '' ? '.' : name, type: packetType(type), class: 'IN' }],
    additionals: extended
      ? [
          {
            type: 'OPT',
            name: '.',
            udpPayloadSize: datagramBytes,
            extendedRcode: 0,
            ednsVersion: 0,
            flags: 0,
            flag_do: false,
            options: [],
          },
        ]
      : [],
  })

const packetType = (type: RecordType): PacketQuestion['type'] =>
  (packetTypes[type] ?? type) as PacketQuestion['type']
