import { isIP } from 'node:net'
import { networkList, parseNetwork } from './network-list.ts'

/**
 * Whether NO_PROXY names the host of an address. Its items, between commas or blanks: `*` for all; a name, with or without
 * `.` or `*.` before it, for itself and everything below it; an IP address; a network as `10.0.0.0/8`. With `:port` an item
 * holds for that port only. Case and a dot at the end do not count. Pure.
 */
export const isWithoutProxy = (url: URL, noProxy: string | null): boolean => {
  const host = plain(url.hostname)
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
  return (noProxy ?? '')
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((item) => matches(item.toLowerCase(), host, port))
}

const matches = (item: string, host: string, port: string): boolean => {
  if (item === '*') return true
  if (parseNetwork(item) !== null) return isInNetwork(item, host)
  const [, named = item, only] = /^(.*[^:]|\[.*\]):(\d+)$/.exec(item) ?? []
  if (only !== undefined && only !== port) return false
  const name = plain(named)
  if (isIP(name) !== 0) return isInNetwork(name, host)
  const domain = name.replace(/^\*?\./, '')
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`))
}

/** Spellings of one address are the same to a list of networks. */
const isInNetwork = (network: string, host: string): boolean =>
  isIP(host) !== 0 && networkList([network]).has(host)

const plain = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
