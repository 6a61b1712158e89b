import t from 'tap'
import { createMatcher } from '../../../../../../control-plane/platform/web/http/server/match.ts'
import { routes } from '../../../../../../control-plane/routes.ts'
import { testApp } from '../../../../../support/app.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const isParameter = (segment = ''): boolean => segment.startsWith(':')
const exampleOf = (path: string): string => path.replace(/:\w+/g, 'x')

/** Whether every address of `path` is an address of `wider` too, which has parameters where `path` has words. */
const isUnder = (path: string, wider: string): boolean => {
  const [own, other] = [path.split('/'), wider.split('/')]
  const fits = own.every((segment, at) => isParameter(other[at]) || segment === other[at])
  return (
    own.length === other.length &&
    fits &&
    own.some((segment, at) => !isParameter(segment) && isParameter(other[at]))
  )
}

const paths = [...new Set(routes.map(({ path }) => path))]
const underParameters = paths.filter((path) => paths.some((wider) => isUnder(path, wider)))
const ownMethods = (path: string): string[] =>
  routes.filter((route) => route.path === path).map(({ method }) => method)
const allowOf = (path: string): string[] => {
  const own = ownMethods(path)
  return [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted()
}

t.test('a literal path under a parameter answers for itself alone', async (t) => {
  for (const path of [
    '/v1/status-pages/services',
    '/v1/status-pages/incidents',
    '/v1/check-sessions/trigger',
  ])
    t.ok(underParameters.includes(path), path)
  const find = createMatcher(routes)
  for (const path of underParameters)
    for (const method of [...methods, 'OPTIONS']) {
      const found = find(method, exampleOf(path))
      if (ownMethods(path).includes(method)) t.match(found, { kind: 'found', target: { method, path } })
      else {
        t.match(found, { kind: 'wrong-method' }, `${method} ${path}`)
        t.strictSame('allow' in found && found.allow.toSorted(), allowOf(path), `${method} ${path}`)
      }
    }
})

t.test('so do the answers: 204 to OPTIONS and 405 to other methods, with its Allow', async (t) => {
  const { call } = await testApp(t)
  const allowed = (headers: Headers) => headers.get('allow')?.split(', ').toSorted()
  for (const path of underParameters) {
    const options = await call('OPTIONS', exampleOf(path))
    t.equal(options.status, 204)
    t.strictSame(allowed(options.headers), allowOf(path), path)
    const wrong = methods.find((method) => !ownMethods(path).includes(method)) ?? ''
    const { status, headers, body } = await call(wrong, exampleOf(path))
    t.equal(status, 405, `${wrong} ${path}`)
    t.strictSame(allowed(headers), allowOf(path))
    t.strictSame(body.attributes.allow.toSorted(), allowOf(path))
  }
})

t.test('every route is found under its own address, whatever its neighbours are', async (t) => {
  const find = createMatcher(routes)
  for (const { method, path } of routes)
    t.match(find(method, exampleOf(path)), { kind: 'found', target: { method, path } }, `${method} ${path}`)
})

t.test('patterns that differ in the names of their parameters are one path', async (t) => {
  const [read, remove, all] = [
    { method: 'GET', path: '/v1/things/:id' },
    { method: 'DELETE', path: '/v1/things/:thingId' },
    { method: 'POST', path: '/v1/things/all' },
  ] as const
  const find = createMatcher<{ method: string; path: string }>([read, remove, all])
  t.match(find('DELETE', '/v1/things/1'), { kind: 'found', params: { thingId: '1' } })
  t.strictSame(find('PUT', '/v1/things/1'), {
    kind: 'wrong-method',
    allow: ['HEAD', 'GET', 'DELETE', 'OPTIONS'],
    others: [read, remove],
  })
  t.strictSame(find('GET', '/v1/things/all'), {
    kind: 'wrong-method',
    allow: ['POST', 'OPTIONS'],
    others: [all],
  })
})

t.test('two routes for one method and path are refused by name, before anybody asks', async (t) => {
  const [list, item] = [
    { method: 'GET', path: '/v1/things' },
    { method: 'GET', path: '/v1/things/:id' },
  ]
  t.throws(() => createMatcher([list, item, { ...item }]), { message: 'Two routes for GET /v1/things/:id' })
  t.match(createMatcher([item, list])('GET', '/v1/things'), { kind: 'found', target: list })
})
