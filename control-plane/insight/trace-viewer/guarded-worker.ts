/**
 * The viewer's service worker makes pages out of what a trace holds, and a page that a worker makes has no policy but the one that
 * the worker gives it. This goes around Playwright's: whatever it makes, rather than fetches, is given one.
 *
 * A page of a trace begins with Playwright's own script, which is allowed by its hash. It is known by what stands before it, which
 * Playwright writes once into every page: where it stands twice a trace has written it too, and no script is allowed.
 */
export const playwrightWorker = 'playwright-worker.js'

export const guardedWorker = (policy: string): string => `'use strict'
const policy = ${JSON.stringify(policy)}
const before = '<style>*,*::before,*::after { visibility: hidden }</style><script>'
const anyLink = /<link\\b[^>]*>?/gi
const styleLink = /^<link(?: [\\w-]+="[^"<>]*")*? rel="stylesheet"(?: [\\w-]+="[^"<>]*")*>$/i

const hashOf = async (text) => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}

// No policy holds the connections that other links open, nor keeps a page where it is. A tag that means nothing stays in the
// place of each: without it, what is around it could become one.
const withoutWays = (html) =>
  html
    .replace(/<(?=meta\\b)/gi, '<x-')
    .replace(anyLink, (tag) => (styleLink.test(tag) && tag.match(/\\brel\\b/gi).length === 1 ? tag : '<x-' + tag.slice(1)))

const guarded = async (made, isPage) => {
  const response = await made
  if (response.type !== 'default') return response
  const headers = new Headers(response.headers)
  headers.set('content-security-policy', "default-src 'none'; sandbox")
  headers.delete('link')
  headers.delete('refresh')
  const { status, statusText } = response
  if (!isPage || response.body === null) return new Response(response.body, { status, statusText, headers })
  const html = await response.text()
  const [, rest, ...more] = html.split(before)
  if (rest === undefined || more.length > 0) return new Response(html, { status, statusText, headers })
  headers.set('content-security-policy', policy + "; script-src 'sha256-" + (await hashOf(rest.split('</script>', 1)[0])) + "'")
  headers.set('x-dns-prefetch-control', 'off')
  return new Response(withoutWays(html), { status, statusText, headers })
}

const respondWith = FetchEvent.prototype.respondWith
FetchEvent.prototype.respondWith = function (made) {
  const isPage = this.request.mode === 'navigate'
  respondWith.call(this, guarded(made, isPage))
}
importScripts('${playwrightWorker}')
`
