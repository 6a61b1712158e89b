/** Whom a check looks at, in the words that lists, exports and analyses have for it. Pure. */
import { kindOf } from './types/index.ts'

type Parts = Record<'url' | 'hostname' | 'query', string | null> & {
  address: { host: string; port: number } | null
}

/** Documents of any age, and what is left of them: a host may be missing. */
const addressOf = (type: string, request: Record<string, unknown>): Parts['address'] => {
  const { host, port } = kindOf(type).address?.(request) ?? {}
  return host === undefined || port === undefined ? null : { host, port }
}

/** What a request of some type may name its target by; a heartbeat has whatever was sent. */
const partsOf = (type: string, request: unknown): Parts => {
  const given = (request ?? {}) as Record<string, unknown>
  const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
  return {
    url: text(given['url']),
    hostname: text(given['hostname']),
    query: text(given['query']),
    address: addressOf(type, given),
  }
}

/** An address, a host with its port, or the name that is asked for; empty: it names none. */
export const targetOfCheck = (type: string, request: unknown): string => {
  const { address, url, hostname, query } = partsOf(type, request)
  if (address !== null) return `${address.host}:${address.port}`
  return hostname ?? query ?? url ?? ''
}

/** The host that a check looks at, if it names one. */
export const hostOfCheck = (type: string, request: unknown): string | null => {
  const { address, url, hostname, query } = partsOf(type, request)
  if (address !== null) return address.host
  return hostname ?? query ?? (url === null ? null : (URL.parse(url)?.hostname ?? null))
}
