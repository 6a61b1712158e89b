import type { Static } from 'typebox'
import type { Redirect } from '../../../protocol/checks/http-result.ts'
import type { Failure } from '../../../protocol/result.ts'
import { type Exchange, type ExchangeRequest, exchange, type HttpIo } from './exchange.ts'
import { maskUrl } from './mask.ts'

const maxRedirects = 10

/** `ofHost`: names of headers, in lower case, that no other host is told. */
export type RedirectableRequest = ExchangeRequest & { followRedirects: boolean; ofHost?: readonly string[] }

/** The last exchange of a chain with its request, the redirects that led to it, and the time of all of them. */
export type Chain = {
  last: Exchange
  request: ExchangeRequest
  redirects: Static<typeof Redirect>[]
  totalMs: number
}

const redirectStatuses = new Set([301, 302, 303, 307, 308])

/** Sends the request and follows redirects (RFC 9110 section 15.4) to http and https addresses. */
export const requestWithRedirects = async (
  first: RedirectableRequest,
  io: HttpIo,
  signal: AbortSignal,
): Promise<Chain> => {
  const redirects: Chain['redirects'] = []
  let request: ExchangeRequest = first
  let last = await exchange(request, io, signal)
  const { started } = last.moments
  let locations = locationsOf(last, request)
  while (first.followRedirects && locations.length > 0) {
    const next = URL.parse(locations[0] as string, request.url.href)
    const failure = refusal(next, locations, redirects.length)
    if (next === null || failure !== null) {
      last = { ...last, failure }
      break
    }
    const status = last.response?.status ?? 0
    redirects.push({ status, from: maskUrl(request.url), to: maskUrl(next) })
    request = nextRequest(request, next, { status, ofHost: first.ofHost ?? [] })
    last = await exchange(request, io, signal)
    locations = locationsOf(last, request)
  }
  return { last, request, redirects, totalMs: last.moments.ended - started }
}

/** The different ones: a server and the proxy before it may write the same address in two ways. */
const locationsOf = ({ failure, response }: Exchange, { url }: ExchangeRequest): readonly string[] => {
  if (failure !== null || response === null || !redirectStatuses.has(response.status)) return []
  const { locations } = response
  if (locations.length < 2) return locations
  const bySpelling = new Map(locations.map((one) => [spellingOf(URL.parse(one, url.href)) ?? one, one]))
  return [...bySpelling.values()]
}

/** As RFC 3986, section 6.2.2 makes spellings alike, without the fragment, which is not requested. */
const spellingOf = (url: URL | null): string | null => {
  if (url === null) return null
  url.hash = ''
  return url.href.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : escaped.toUpperCase()
  })
}

const refusal = (next: URL | null, locations: readonly string[], followed: number): Failure | null => {
  if (followed >= maxRedirects)
    return {
      code: 'TOO_MANY_REDIRECTS',
      message: `The request was redirected more than ${maxRedirects} times`,
      network: false,
    }
  if (locations.length > 1)
    return {
      code: 'INVALID_REDIRECT',
      message: `The request was redirected to ${locations.length} different addresses at once`,
      network: false,
    }
  if (next !== null && (next.protocol === 'http:' || next.protocol === 'https:')) return null
  const shown = next === null ? locations[0]?.slice(0, 200) : `${next.protocol}…`
  return {
    code: 'INVALID_REDIRECT',
    message: `The request was redirected to "${shown}", which is not an http or https address`,
    network: false,
  }
}

/**
 * 303, and 301 or 302 after POST, continue with GET and without the body; credentials stay with the origin they were
 * meant for.
 */
const nextRequest = (
  request: ExchangeRequest,
  url: URL,
  { status, ofHost }: { status: number; ofHost: readonly string[] },
): ExchangeRequest => {
  const { method } = request
  const becomesGet = method !== 'HEAD' && (status === 303 || (status < 303 && method === 'POST'))
  if (url.hash === '') url.hash = request.url.hash
  const sameOrigin = url.origin === request.url.origin
  const sameHost = url.hostname === request.url.hostname
  const dropped = [
    ...(sameOrigin ? [] : ofOrigin),
    ...(sameHost ? [] : ofHost),
    ...(becomesGet ? ofBody : []),
  ]
  const headers = dropped.length === 0 ? request.headers : without(dropped, request.headers)
  return becomesGet ? { ...request, url, method: 'GET', headers, body: null } : { ...request, url, headers }
}

const ofOrigin = ['authorization', 'cookie', 'x-api-key', 'host']
const ofBody = ['content-type', 'content-encoding', 'content-language', 'content-location']

const without = (names: readonly string[], headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name.toLowerCase())))
