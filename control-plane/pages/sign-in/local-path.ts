/**
 * Where somebody goes after they signed in. The address names where they wanted to go, and anybody can write such an address: only a path of
 * ours counts, so that no link leads by our page to somebody else's. Pure.
 */
import { type Reply, reply } from '../../platform/web/http/route.ts'

const home = '/app'
/** Browsers read `\` as `/` and skip control characters: a path has neither. */
const plainPath = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/
const ours = 'http://ours.invalid'
const notAgain = /^\/(sign-in|sign-out)(\/|$)/

export const localPath = (next: string | undefined): string => {
  if (next === undefined || next.length > 2000 || !plainPath.test(next)) return home
  const url = URL.parse(next, ours)
  if (url === null || url.origin !== ours || url.pathname.startsWith('//') || notAgain.test(url.pathname))
    return home
  return url.pathname + url.search
}

const textHeaders = { 'cache-control': 'private, no-store' }

/** To another page of ours. */
export const seeOther = (location: string, cookies: readonly string[] = []): Reply<string> =>
  reply('', {
    status: 303,
    headers: { location, ...textHeaders },
    cookies,
  })
