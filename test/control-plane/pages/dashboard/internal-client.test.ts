import t from 'tap'
import { createInternalClient } from '../../../../control-plane/pages/dashboard/internal-client.ts'
import {
  actionLink,
  backOr,
  operationsWithPage,
  pathOfOperation,
  withoutPage,
  writes,
} from '../../../../control-plane/pages/dashboard/operations.ts'
import { routes, servedRoutes } from '../../../../control-plane/routes.ts'
import { testApp } from '../../../support/app.ts'
import { sessionOf, visitPage } from '../../../support/dashboard.ts'

const client = createInternalClient(routes)
const id = '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'

const paramsOf = (path: string): Record<string, string> =>
  Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, key = '']) => [key, id]))

t.test(
  'everything that the API writes has a page of its own, with the same role, or a reason why not',
  async (t) => {
    const served = new Map(servedRoutes.map((route) => [`${route.method} ${route.path}`, route]))
    const without = routes.filter(writes).flatMap((route) => {
      if (withoutPage[`${route.method} ${route.path}`] !== undefined) return []
      const path = pathOfOperation(route)
      const pages = [served.get(`GET ${path}`), served.get(`POST ${path}`)]
      return pages.every((page) => page?.page === true && page.access === route.access) ? [] : [path]
    })
    t.strictSame(without, [])
    t.ok(operationsWithPage(client).length > 60)
    t.ok(
      Object.keys(withoutPage).every((name) => client.has(name)),
      'every reason is of a route that there is',
    )
  },
)

t.test('every form is shown to an owner, or the thing that it would change is not there', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  for (const { name, route } of operationsWithPage(client)) {
    const { status, text } = await visitPage(plane, cookie, actionLink(name, paramsOf(route.path)))
    t.ok([200, 400, 404].includes(status), `${name}: ${status}`)
    if (status === 200) t.match(text, /<form method="post" class="form"|Which kind\?/, name)
  }
  t.strictSame(
    plane.logged.filter(({ level }) => Number(level) >= 50),
    [],
  )
})

t.test('who may only look sees no button that changes, and is refused by the server', async (t) => {
  const plane = await testApp(t)
  const owner = await sessionOf(plane)
  const reader = await sessionOf(plane, 'READ_ONLY')
  await plane.call('POST', '/v1/variables', { body: { key: 'HOST', value: 'a' } })
  t.match((await visitPage(plane, owner, '/app/variables')).text, 'Delete</a>')
  const list = await visitPage(plane, reader, '/app/variables')
  t.equal(list.status, 200)
  t.notMatch(list.text, /\/app\/do\//)
  for (const { name, route } of operationsWithPage(client)) {
    if (route.access === 'READ_ONLY') continue
    const path = actionLink(name, { ...paramsOf(route.path), key: 'HOST' })
    t.equal((await visitPage(plane, reader, path)).status, 403, `GET ${path}`)
    t.equal((await visitPage(plane, reader, path, { 'body.value': 'b' })).status, 403, `POST ${path}`)
  }
  t.equal(
    (await visitPage(plane, reader, '/app/checks/bulk', { 'checkIds[]': 'x', _do: 'delete' })).status,
    403,
  )
  const { body } = await plane.call('GET', '/v1/variables/HOST')
  t.equal(body.value, 'a')
})

t.test('a bulk change asks for the role of what it does', async (t) => {
  const plane = await testApp(t)
  const runner = await sessionOf(plane, 'READ_RUN')
  const { body: check } = await plane.call('POST', '/v1/checks/url', {
    body: { name: 'a', request: { url: 'https://a.example/' }, privateLocations: ['local'] },
  })
  const form = { 'checkIds[]': check.id }
  t.equal((await visitPage(plane, runner, '/app/checks/bulk', { ...form, _do: 'pause' })).status, 403)
  t.equal((await visitPage(plane, runner, '/app/checks/bulk', { ...form, _do: 'really-delete' })).status, 403)
  t.equal((await visitPage(plane, runner, '/app/checks/bulk', { ...form, _do: 'run' })).status, 303)
  t.equal((await plane.call('GET', `/v1/checks/${check.id}`)).body.activated, true)
})

t.test('a form of another origin changes nothing, and nobody who is not signed in is let in', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const send = (headers: Record<string, string>) =>
    fetch(`${plane.url}/app/do/post/v1/variables`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie, ...headers },
      body: 'body.key=A&body.value=b',
    })
  t.equal((await send({ origin: 'https://evil.example' })).status, 403)
  t.equal((await send({ 'sec-fetch-site': 'cross-site' })).status, 403)
  t.equal((await send({ origin: plane.url, cookie: '' })).status, 401)
  t.strictSame((await plane.call('GET', '/v1/variables')).body, [])
  t.equal((await send({ origin: plane.url })).status, 303)
  const stranger = await visitPage(plane, '', '/app/checks?state=failing')
  t.equal(stranger.status, 303)
  t.equal(stranger.location, '/sign-in?next=%2Fapp%2Fchecks%3Fstate%3Dfailing')
})

t.test('the way back leads to our own pages only', async (t) => {
  for (const bad of [
    '//evil.example',
    'https://evil.example/app',
    '/app/../sign-out',
    '/app//evil',
    '/app\\evil',
    '/appx',
    '/app/x?a=<b>',
    '/app/\n',
  ])
    t.equal(backOr(bad, '/app'), '/app', bad)
  t.equal(backOr('/app/checks?state=failing&tag=a%20b', '/app'), '/app/checks?state=failing&tag=a%20b')
})

t.test('pages cannot be framed, kept or given scripts', async (t) => {
  const plane = await testApp(t)
  const { headers } = await visitPage(plane, await sessionOf(plane), '/app')
  const policy = headers.get('content-security-policy') ?? ''
  t.match(policy, "frame-ancestors 'none'")
  t.match(policy, "default-src 'none'")
  t.notMatch(policy, 'unsafe')
  t.equal(headers.get('cache-control'), 'private, no-store')
})
