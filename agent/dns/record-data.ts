import type { CaaData, MxData, SoaData, SrvData, TxtData } from 'dns-packet'
import { quoted } from './quoted.ts'
import { ipv6Text, serializeServiceBinding } from './service-binding.ts'

type DataFormat = (data: never) => string

/** A name as an absolute one. */
export const dotted = (name: string): string => (name === '.' || name === '' ? '.' : `${name}.`)

const present: Record<string, DataFormat> = {
  A: (data: string) => data,
  AAAA: ipv6Text,
  CNAME: dotted,
  DNAME: dotted,
  NS: dotted,
  PTR: dotted,
  MX: ({ preference, exchange }: MxData) => `${preference} ${dotted(exchange)}`,
  SRV: ({ priority, weight, port, target }: SrvData) => `${priority} ${weight} ${port} ${dotted(target)}`,
  SOA: ({ mname, rname, serial, refresh, retry, expire, minimum }: SoaData) =>
    [dotted(mname), dotted(rname), serial, refresh, retry, expire, minimum].join(' '),
  TXT: (data: TxtData) => [data].flat().join(''),
  CAA: ({ flags, tag, value }: CaaData) => `${flags} ${tag} ${quoted(Buffer.from(value))}`,
  SVCB: serializeServiceBinding,
  HTTPS: serializeServiceBinding,
}

/** A record's data in one line, as zone files write it but for the quotes of TXT; RFC 3597 for what has no other form. */
export const recordData = (type: string, data: unknown): string => {
  const known = Object.hasOwn(present, type) ? present[type] : undefined
  // What dns-packet decodes for a type is what the format of this type takes.
  if (known !== undefined) return known(data as never)
  if (Buffer.isBuffer(data)) return `\\# ${data.length} ${data.toString('hex')}`.trimEnd()
  return JSON.stringify(data)
}
