/**
 * Which route answers a method and path. One @koa/router per leading path segments, so that a request is tried against
 * the few patterns of its resource and not against all of them; literal segments win over parameters. A path belongs to
 * its most literal pattern alone: with another method it is not found under a parameter (`DELETE /v1/things/new` deletes
 * nothing with the id "new").
 */
import { Router } from '@koa/router'

type Pattern = { method: string; path: string }

type Match<T> =
  | { kind: 'found'; target: T; params: Record<string, string> }
  /** `others`: what the path has for other methods. */
  | { kind: 'wrong-method'; allow: string[]; others: T[] }
  | { kind: 'none' }

export type Matcher<T> = (method: string, path: string) => Match<T>

const none = { kind: 'none' } as const
const nothing = { path: [], pathAndMethod: [] }

export const createMatcher = <T extends Pattern>(targets: readonly T[]): Matcher<T> => {
  const byName = new Map(targets.map((target) => [nameOf(target), target]))
  if (byName.size < targets.length) throw new Error(`Two routes for ${twice(targets.map(nameOf)).join(', ')}`)
  const groups = new Map(
    [...Map.groupBy(targets, ({ path }) => groupOf(path))].map(([name, group]) => [name, routerOnce(group)]),
  )
  return (method, path) => {
    const [, first = '', second = ''] = path.split('/', 3)
    const asked = method === 'HEAD' ? 'GET' : method
    const own = groups.get(`${first}/${second}`)?.().match(path, asked)
    const { path: onPath, pathAndMethod } = own?.path.length
      ? own
      : (groups.get(first)?.().match(path, asked) ?? nothing)
    const owner = onPath[0]
    if (owner === undefined) return none
    const layer = pathAndMethod[0]
    const target = layer?.name === undefined ? undefined : byName.get(layer.name)
    if (layer && target && haveOneShape(layer, owner))
      return { kind: 'found', target, params: layer.params(path, layer.captures(path)) }
    const alike = onPath.filter((other) => haveOneShape(other, owner))
    return {
      kind: 'wrong-method',
      allow: allowed(alike),
      others: alike.flatMap(({ name }) => byName.get(name ?? '') ?? []),
    }
  }
}

const nameOf = ({ method, path }: Pattern): string => `${method} ${path}`

const twice = (names: readonly string[]): string[] => names.filter((name, at) => names.indexOf(name) < at)

/** Made when somebody first asks for a path of its group: a start compiles none of some hundred patterns. */
const routerOnce = (group: readonly Pattern[]): (() => Router) => {
  let router: Router | null = null
  return () => {
    router ??= routerOf(group)
    return router
  }
}

const routerOf = (group: readonly Pattern[]): Router => {
  const router = new Router({ sensitive: true })
  for (const target of group.toSorted(byPrecision))
    router.register(target.path, [target.method], () => undefined, { name: nameOf(target) })
  return router
}

/** The first two segments, or the first one where the second is a parameter. */
const groupOf = (path: string): string => {
  const [, first = '', second = ''] = path.split('/', 3)
  return second === '' || second.startsWith(':') ? first : `${first}/${second}`
}

type PatternLayer = { path: string | RegExp }

/** Whether two patterns differ in the names of their parameters at most. */
const haveOneShape = (a: PatternLayer, b: PatternLayer): boolean =>
  a.path === b.path || shapeOf(String(a.path)) === shapeOf(String(b.path))

const shapeOf = (path: string): string => path.replace(/:\w+/g, ':')

const allowed = (layers: Array<{ methods: string[] }>): string[] => [
  ...new Set([...layers.flatMap(({ methods }) => methods), 'OPTIONS']),
]

/** The same from both sides, so that it orders any number of patterns: what is missing counts as literal. */
const byPrecision = (a: Pattern, b: Pattern): number => {
  const [left, right] = [parametersOf(a), parametersOf(b)]
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = Number(left[at] ?? false) - Number(right[at] ?? false)
    if (difference !== 0) return difference
  }
  return 0
}

const parametersOf = ({ path }: Pattern): boolean[] =>
  path.split('/').map((segment) => segment.startsWith(':'))
