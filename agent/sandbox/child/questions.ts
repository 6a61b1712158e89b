import { isIP, isIPv4 } from 'node:net'
import { unquoted } from '../../dns/quoted.ts'
import {
  commands,
  type DnsReply,
  questionTypes,
  readReplies,
  type SocksRequest,
} from '../../egress-proxy/socks.ts'
import { lookupError } from './connect-error.ts'

type Type = keyof typeof questionTypes
type Ask = (request: SocksRequest) => Promise<Buffer>
type Question = (name: string, options?: never) => Promise<unknown>
type Fields = readonly string[]

const undotted = (name = ''): string => name.replace(/\.$/, '')

/** What the resolvers of Node make of a record's data. */
const shapes: Partial<Record<Type, (fields: Fields, data: string) => unknown>> = {
  CNAME: (_, data) => undotted(data),
  NS: (_, data) => undotted(data),
  PTR: (_, data) => undotted(data),
  TXT: (_, data) => [data],
  MX: ([priority, exchange]) => ({ exchange: undotted(exchange), priority: Number(priority) }),
  SRV: ([priority, weight, port, name]) => ({
    ...{ name: undotted(name), port: Number(port), priority: Number(priority), weight: Number(weight) },
  }),
  CAA: ([flags, tag = '', ...value]) => ({
    critical: Number(flags),
    [tag]: unquoted(value.join(' ')),
  }),
  SOA: ([nsname, hostmaster, ...numbers]) => {
    const [serial, refresh, retry, expire, minttl] = numbers.map(Number)
    return {
      nsname: undotted(nsname),
      hostmaster: undotted(hostmaster),
      serial,
      refresh,
      retry,
      expire,
      minttl,
    }
  },
}

/** The questions of `dns.promises`, asked at the egress proxy. What it cannot ask has no answer. */
export const questionsWith = (ask: Ask): Record<string, Question> => {
  const asking = (type: Type) => (name: string) => askFor(ask, type, name)
  const shaped =
    (type: Type): Question =>
    async (name) =>
      (await askFor(ask, type, name)).map(({ data }) => shapes[type]?.(data.split(' '), data) ?? data)
  const addresses =
    (type: 'A' | 'AAAA'): Question =>
    async (name, options?: { ttl?: boolean }) =>
      (await asking(type)(name)).map(({ data, ttl }) =>
        options?.ttl === true ? { address: data, ttl } : data,
      )
  const byType: Record<string, Question> = {
    A: addresses('A'),
    AAAA: addresses('AAAA'),
    SOA: async (name) => ((await shaped('SOA')(name)) as unknown[])[0],
    ...Object.fromEntries(
      (['CNAME', 'NS', 'PTR', 'TXT', 'MX', 'SRV', 'CAA'] as const).map((type) => [type, shaped(type)]),
    ),
  }
  const unanswered =
    (type: string): Question =>
    async (name) => {
      throw lookupError('ENODATA', syscallOf(type), String(name))
    }
  return {
    ...Object.fromEntries(
      ['Caa', 'Cname', 'Mx', 'Ns', 'Ptr', 'Soa', 'Srv', 'Txt'].map((name) => [
        `resolve${name}`,
        byType[name.toUpperCase()] as Question,
      ]),
    ),
    ...Object.fromEntries(['Any', 'Naptr', 'Tlsa'].map((name) => [`resolve${name}`, unanswered(name)])),
    resolve4: byType['A'] as Question,
    resolve6: byType['AAAA'] as Question,
    resolve: (name, type?: string) => (byType[type ?? 'A'] ?? unanswered(type ?? 'A'))(name),
    reverse: async (address) => shaped('PTR')(reverseName(address)),
    lookupService: unanswered('getnameinfo'),
  }
}

const askFor = async (ask: Ask, type: Type, name: string): Promise<DnsReply['records']> => {
  const bytes = await ask({ command: commands.question, host: name, port: questionTypes[type] })
  const read = readReplies(bytes)
  const reply =
    typeof read === 'object' && read.value.succeeded ? answerIn(bytes.subarray(read.length)) : lost
  if (reply.code === 'NOERROR' && reply.records.length > 0) return reply.records
  throw lookupError(codes[reply.code] ?? 'ESERVFAIL', syscallOf(type), name)
}

const lost: DnsReply = { code: 'TIMEOUT', records: [] }

const answerIn = (bytes: Buffer): DnsReply => (bytes.length === 0 ? lost : JSON.parse(bytes.toString()))

const codes: Record<string, string> = {
  ...{ NOERROR: 'ENODATA', NXDOMAIN: 'ENOTFOUND', REFUSED: 'EREFUSED', FORMERR: 'EFORMERR' },
  ...{ NOTIMP: 'ENOTIMP', TIMEOUT: 'ETIMEOUT', ECONNREFUSED: 'ECONNREFUSED' },
}

/** `queryAaaa`, as Node names it. */
const syscallOf = (type: string): string =>
  type === 'getnameinfo' ? type : `query${type.charAt(0)}${type.slice(1).toLowerCase()}`

/** RFC 1035, section 3.5, and RFC 3596, section 2.5. */
const reverseName = (address: string): string => {
  if (isIPv4(address)) return `${address.split('.').reverse().join('.')}.in-addr.arpa`
  if (isIP(address) === 0) throw lookupError('EINVAL', 'getHostByAddr', address)
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::')
  const [left, right] = [head, tail ?? ''].map((part) => part.split(':').filter(Boolean))
  const middle = Array(tail === undefined ? 0 : 8 - (left?.length ?? 0) - (right?.length ?? 0)).fill('0')
  const digits = [...(left ?? []), ...middle, ...(right ?? [])]
    .map((group) => group.padStart(4, '0'))
    .join('')
  return `${[...digits].reverse().join('.')}.ip6.arpa`
}
