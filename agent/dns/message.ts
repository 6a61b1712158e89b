import { type Answer, type DecodedPacket, decode } from 'dns-packet'
import { dotted, recordData } from './record-data.ts'

/** A record as people read it: `name` ends in a dot, `data` is one line, `ttl` is seconds. */
type DnsRecord = { name: string; type: string; class: string; ttl: number; data: string }

/** A message, decoded. Of authorities and additionals only their number is told. */
export type DnsMessage = {
  id: number
  opcode: string
  /** RFC 1035's and RFC 6895's name of the response code. */
  code: string
  flags: Record<'aa' | 'tc' | 'rd' | 'ra' | 'ad' | 'cd', boolean>
  questions: { name: string; type: string; class: string }[]
  answers: DnsRecord[]
  authorities: number
  additionals: number
}

const codes = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
  'NOTAUTH',
  'NOTZONE',
]
const extendedCodes: Record<number, string> = { 16: 'BADVERS', 23: 'BADCOOKIE' }

/** Throws when the bytes are not a message. */
export const decodeMessage = (bytes: Buffer): DnsMessage => {
  const packet = decode(bytes) as DecodedPacket & { opcode: string }
  if (decode.bytes > bytes.length) throw new RangeError('the message is cut off')
  const { questions = [], answers = [], authorities = [], additionals = [] } = packet
  return {
    id: packet.id ?? 0,
    opcode: packet.opcode,
    code: codeOf(bytes, additionals),
    flags: {
      aa: packet.flag_aa,
      tc: packet.flag_tc,
      rd: packet.flag_rd,
      ra: packet.flag_ra,
      ad: packet.flag_ad,
      cd: packet.flag_cd,
    },
    questions: questions.map(({ name, type, class: of }) => ({
      name: dotted(name),
      type: typeName(type),
      class: of ?? 'IN',
    })),
    answers: answers.map(serializeRecord),
    authorities: authorities.length,
    additionals: additionals.length,
  }
}

/** Four bits of the header, and eight more of an OPT record (RFC 6891 section 6.1.3). */
const codeOf = (bytes: Buffer, additionals: Answer[]): string => {
  const extension = additionals.find((record) => record.type === 'OPT')
  const code = ((bytes[3] ?? 0) & 15) | (extension === undefined ? 0 : extension.extendedRcode << 4)
  return codes[code] ?? extendedCodes[code] ?? `RCODE_${code}`
}

const serializeRecord = (record: Answer): DnsRecord => {
  const base = { name: dotted(record.name), type: typeName(record.type) }
  if (record.type === 'OPT') return { ...base, class: 'IN', ttl: 0, data: '' }
  const { class: of = 'IN', ttl = 0 } = record
  return { ...base, class: of, ttl, data: recordData(base.type, record.data) }
}

/** RFC 3597 section 5 names types by number that have no name here. */
const typeName = (type: string): string => {
  const number = /^UNKNOWN_(\d+)$/.exec(type)?.[1]
  if (number === undefined) return type
  return { 64: 'SVCB', 65: 'HTTPS' }[Number(number)] ?? `TYPE${number}`
}
