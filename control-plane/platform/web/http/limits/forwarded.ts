/**
 * What proxies say of where a request came from: `Forwarded` (RFC 7239) and `X-Forwarded-For`, as the hops in their order,
 * the client first. A hop that names no address (`unknown`, `_hidden`, nonsense) is null. Pure.
 */
import { isIP } from 'node:net'

export type Hops = ReadonlyArray<string | null>

/** `203.0.113.7`, `203.0.113.7:1234`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:1234`. */
export const hopAddress = (text: string): string | null => {
  const trimmed = text.trim()
  const [, bracketed, port] = /^\[([^\]]*)\](?::([\w.-]+))?$/.exec(trimmed) ?? []
  if (bracketed !== undefined) return isIP(bracketed) === 6 && isPort(port) ? bracketed : null
  if (isIP(trimmed) !== 0) return trimmed.includes('%') ? null : trimmed
  const [address = '', ofAddress, ...rest] = trimmed.split(':')
  return isIP(address) === 4 && rest.length === 0 && isPort(ofAddress) ? address : null
}

/** A number, or what RFC 7239 section 6.3 lets a proxy say instead of it. */
const isPort = (port: string | undefined): boolean => port === undefined || /^(\d{1,5}|_[\w.-]+)$/.test(port)

/** Empty elements of a list mean nothing (RFC 9110 section 5.6.1). */
export const xForwardedHops = (header: string): Hops =>
  header
    .split(',')
    .filter((element) => element.trim() !== '')
    .map(hopAddress)

/** One `name=value`, or nothing, and what ends it. Values with `:` and `[` need quotes; some proxies know better. */
const pair = /[ \t]*(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?[ \t]*([;,]|$)/y

/** null: it is not what RFC 7239 section 4 has, and nothing in it is to be believed. */
export const forwardedHops = (header: string): Hops | null => {
  const hops: Array<string | null> = []
  let names = new Map<string, string>()
  for (let at = 0; at <= header.length; ) {
    pair.lastIndex = at
    const match = pair.exec(header)
    if (match === null) return null
    const [whole, written, quoted, bare = '', end] = match
    const name = written?.toLowerCase()
    if (name !== undefined && names.has(name)) return null
    if (name !== undefined) names.set(name, quoted?.replace(/\\(.)/g, '$1') ?? bare)
    at += whole.length
    if (end === ';') continue
    if (names.size > 0) hops.push(hopAddress(names.get('for') ?? ''))
    if (end === '') break
    names = new Map()
  }
  return hops
}
