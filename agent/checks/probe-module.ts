/** From the query of `/probe` to the spec that is to be run, in the words of blackbox_exporter. Pure. */
import { isIPv6 } from 'node:net'

/** `host`: whom the target names, as the allow-list judges it. */
export type ProbeSpec = { host: string; spec: object }

export type ProbeError = { problem: string }

/** What `module=` names: a way to probe a target with a check type. */
export type ProbeModule = (target: string, query: URLSearchParams) => ProbeSpec | ProbeError

const success = [
  { source: 'STATUS_CODE', property: '', comparison: 'GREATER_THAN', target: '199' },
  { source: 'STATUS_CODE', property: '', comparison: 'LESS_THAN', target: '300' },
]

const request = { followRedirects: true, skipSSL: false, ipFamily: 'IPv4', assertions: success }

/** As blackbox_exporter does it: an address without a scheme is one of HTTP. */
const httpUrl = (target: string): URL | null => {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(target) ? target : `http://${target}`)
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url : null
}

/** `ofRequest` and `ofSpec`: what the type has beside the address and what must be true of its answer. */
export const httpModule =
  (ofRequest: object, ofSpec: object = {}): ProbeModule =>
  (target) => {
    const url = httpUrl(target)
    if (url === null) return { problem: 'target must be an http or https address' }
    const spec = { request: { ...request, url: url.href, ...ofRequest }, shouldFail: false, ...ofSpec }
    return { host: bare(url.hostname), spec }
  }

export const bare = (host: string): string => host.replace(/^\[|\]$/g, '')

/** `host:port` or `[address]:port`. */
export const splitPort = (target: string): { host: string; port: number } | null => {
  const [, host = '', digits = ''] = /^(\[[^\]]+\]|[^\s/?#@:]+):(\d{1,5})$/.exec(target) ?? []
  const port = Number(digits)
  return host !== '' && port >= 1 && port <= 65_535 ? { host: bare(host), port } : null
}

/** A colon is part of an address of IPv6 only: after a name it begins a port, which is not one if `splitPort` has not taken it. */
export const isHost = (target: string): boolean => isIPv6(target) || /^[^\s/?#@[\]:]{1,253}$/.test(target)

export const familyOf = (host: string): 'IPv4' | 'IPv6' => (host.includes(':') ? 'IPv6' : 'IPv4')
