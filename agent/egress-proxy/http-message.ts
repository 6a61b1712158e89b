/** What a proxy changes of the messages that it forwards (RFC 9110, section 7.6). Pure. */
import type { IncomingMessage } from 'node:http'

/** `path` is what the target itself is asked for, `href` what a proxy is asked for. */
export type HttpTarget = { host: string; port: number; path: string; href: string }

/** Of a request with a whole address; null for any other. */
export const targetOf = (address: string | undefined): HttpTarget | null => {
  const url = URL.parse(address ?? '')
  if (url?.protocol !== 'http:') return null
  const port = url.port === '' ? 80 : Number(url.port)
  return {
    host: plainHost(url),
    port,
    path: `${url.pathname}${url.search}`,
    href: `${url.origin}${url.pathname}${url.search}`,
  }
}

/** Without the brackets of IPv6. */
export const plainHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

const hopByHop = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'proxy-authenticate', 'te'],
  ...['trailer', 'upgrade', 'expect'],
])

type Head = Pick<IncomingMessage, 'rawHeaders' | 'headers'>

/** Those that are for the other end, in their order and their case. How a body is framed is kept: it is framed so again. */
export const endToEndHeaders = ({ rawHeaders, headers }: Head): string[] => {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/\s*,\s*/))
  return pairs(rawHeaders)
    .filter(([name]) => !hopByHop.has(name.toLowerCase()) && !named.has(name.toLowerCase()))
    .flat()
}

/** As the target itself would have been asked for an upgrade. */
export const requestHead = ({ method, rawHeaders }: IncomingMessage, path: string): string => {
  const lines = pairs(rawHeaders)
    .filter(([name]) => !name.toLowerCase().startsWith('proxy-'))
    .map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')
}

const pairs = (raw: readonly string[]): [string, string][] =>
  Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? ''])
