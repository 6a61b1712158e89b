/** Every page of an account that somebody reaches by links alone, and what its links and buttons lead to. */
import type { Declaration } from '../../control-plane/platform/web/http/route.ts'
import { servedRoutes } from '../../control-plane/routes.ts'
import type { TestApp } from './app.ts'
import { byLength } from './length.ts'
import type { Visitor } from './visitor.ts'

export type Visited = {
  /** As the route declares it. */
  route: string
  path: string
  /** The page whose link led here. */
  from: string
  status: number
  text: string
  /** What its buttons ask for. */
  forms: { method: string; action: string }[]
}

/** Lists lead to many pages of one kind: so many of each are looked at. */
const ofEachKind = byLength({ short: 2, all: 2, long: 3 })

/** One without a parameter goes before one with it. */
const patterns = servedRoutes
  .map((route) => ({
    route,
    pattern: new RegExp(`^${route.path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')}$`),
    parameters: route.path.split(':').length,
  }))
  .toSorted((a, b) => a.parameters - b.parameters)

/** The route that answers. */
export const routeAt = (method: string, path: string): Declaration | undefined =>
  patterns.find(({ route, pattern }) => route.method === method && pattern.test(path))?.route

const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

const within = (href: string, base: string): URL | null => {
  const url = new URL(unescaped(href), base)
  return url.origin === new URL(base).origin && /^\/app(\/|$)/.test(url.pathname) ? url : null
}

const formsIn = (text: string, base: string): Visited['forms'] =>
  [...text.matchAll(/<form\b([^>]*)>/g)].map(([, attributes = '']) => ({
    method: (/method="(\w+)"/.exec(attributes)?.[1] ?? 'get').toUpperCase(),
    action: new URL(unescaped(/action="([^"]*)"/.exec(attributes)?.[1] ?? ''), base).pathname,
  }))

/** Pages of one kind differ by their parameters, and by which of them have a value. */
const kindOf = (route: Declaration, url: URL): string =>
  `${route.path} ${[...url.searchParams.keys()]
    .filter((name) => name !== 'back')
    .toSorted()
    .join()}`

export const everyPage = async (plane: TestApp, visitor: Visitor, start = '/app'): Promise<Visited[]> => {
  const visited: Visited[] = []
  const known = new Set([start])
  const perKind = new Map<string, number>()
  const waiting = [{ path: start, from: '' }]
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const url = new URL(next.path, plane.url)
    const route = routeAt('GET', url.pathname)
    const kind = route === undefined ? next.path : kindOf(route, url)
    const count = (perKind.get(kind) ?? 0) + 1
    if (count > ofEachKind || (route !== undefined && route.responseType !== 'text/html')) continue
    perKind.set(kind, count)
    // Some pages are limited by the minute.
    plane.advance(1500)
    const { status, text } = await visitor.get(next.path)
    visited.push({ ...next, route: route?.path ?? '', status, text, forms: formsIn(text, url.href) })
    for (const [, href = ''] of text.matchAll(/<a\b[^>]* href="([^"]*)"/g)) {
      const link = within(href, url.href)
      if (link === null) continue
      const path = `${link.pathname}${link.search}`
      if (known.has(path)) continue
      known.add(path)
      waiting.push({ path, from: next.path })
    }
  }
  return visited
}
