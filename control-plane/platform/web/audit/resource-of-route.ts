/** What a route is about, read off its path. Pure. */

type Named = { method: string; path: string }

const about = (path: string): string[] =>
  path
    .replace(/^\/(v\d+|next)(?=\/)/, '')
    .replace(/^\/accounts\/(me|:accountId)/, '')
    .split('/')
    .filter((part) => part !== '')

/** `/v1/things/:id` → `things`; the account's own settings → `account`. */
export const resourceTypeOf = ({ path }: Named): string =>
  about(path).find((part) => !part.startsWith(':') && part !== 'app') ?? 'account'

/** The parameter that names it: of several the last one. */
export const resourceParameterOf = ({ path }: Named): string | null =>
  about(path)
    .findLast((part) => part.startsWith(':'))
    ?.slice(1) ?? null

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))

/** The route that reads what this one writes: at the same path, or at that of its kind (`PUT /v1/things/small/:id`). */
export const readerOf = <R extends Named>(written: Named, routes: readonly R[]): R | undefined => {
  const reading = (path: string): R | undefined =>
    routes.find((route) => route.method === 'GET' && route.path === path)
  const { method, path } = written
  // What is made is not there yet, and a list is no document.
  if (method === 'POST') return undefined
  const last = path.slice(path.lastIndexOf('/'))
  return reading(path) ?? (last.startsWith('/:') ? reading(parentOf(parentOf(path)) + last) : undefined)
}

/** The routes that read what this one's path names, the innermost first: what a thing is called is said by it, or by what it belongs to. */
export const readersOfNamed = <R extends Named>({ path }: Named, routes: readonly R[]): R[] => {
  const prefixes = [...path.matchAll(/:\w+/g)].map(({ 0: name, index }) => path.slice(0, index + name.length))
  return prefixes
    .reverse()
    .flatMap((prefix) => routes.find((route) => route.method === 'GET' && route.path === prefix) ?? [])
}

/** The route that reads one of what this one makes. */
export const readerOfNew = <R extends Named>({ path }: Named, routes: readonly R[]): R | undefined =>
  routes.find(
    (route) =>
      route.method === 'GET' &&
      /^\/:\w+$/.test(route.path.slice(route.path.lastIndexOf('/'))) &&
      [path, parentOf(path)].includes(parentOf(route.path)),
  )
