import t, { type Test } from 'tap'
import { type TestApp, testApp } from '../../../support/app.ts'
import { sessionOf, setState, visitPage } from '../../../support/dashboard.ts'

const made = async ({ call }: TestApp, path: string, body: object) => {
  const { status, text, body: answer } = await call('POST', path, { body })
  if (status !== 201) throw new Error(text)
  return answer
}

const addCheck = async (plane: TestApp, name: string): Promise<string> => {
  const request = { url: 'https://example.com/' }
  const { id } = await made(plane, '/v1/checks/url', { name, request, locations: ['eu-west-1'] })
  return id
}

/** A status page whose only service follows nothing yet. */
const withService = async (t: Test, name = 'Shop') => {
  const plane = await testApp(t)
  const service: { id: string } = await made(plane, '/v1/status-pages/services', { name })
  const cards = [{ name: 'All', services: [{ id: service.id }] }]
  await made(plane, '/v1/status-pages', { name: 'Acme', url: 'acme', cards })
  const path = `/app/services/${service.id}`
  const asVisitor = async (): Promise<string> => {
    plane.advance(61_000)
    const page = await (await fetch(`${plane.url}/status/acme`)).text()
    return /<title>(.*)<\/title>/.exec(page)?.[1] ?? page
  }
  const change = (cookie: string, act: string, ids: readonly string[]) =>
    visitPage(
      plane,
      cookie,
      `${path}/checks`,
      new URLSearchParams([['_do', act], ...ids.map((id): [string, string] => ['checkIds[]', id])]),
    )
  const triggerOf = async (id: string) => (await plane.call('GET', `/v1/checks/${id}`)).body.triggerIncident
  return { plane, service, path, asVisitor, change, triggerOf }
}

t.test('a service follows the checks that are chosen by name, and visitors see their state', async (t) => {
  const { plane, service, path, asVisitor, change, triggerOf } = await withService(t)
  const cookie = await sessionOf(plane)
  const checkId = await addCheck(plane, 'Cart & <b>basket</b>')
  await addCheck(plane, 'Blog')
  t.equal(await asVisitor(), 'Nothing has been measured yet · Acme')

  t.match((await visitPage(plane, cookie, '/app/status-pages')).text, `href="${path}"`)
  t.match((await visitPage(plane, cookie, path)).text, 'It follows no check')
  const found = (await visitPage(plane, cookie, `${path}?search=cart`)).text
  t.match(found, `value="${checkId}"`)
  t.match(found, /Cart &(amp|#38); &(lt|#60);b&/)
  t.notMatch(found, 'Blog')

  t.equal((await change(cookie, 'add', [checkId])).location, `${path}?said=saved`)
  const defaults = { description: '', severity: 'MINOR', notifySubscribers: true }
  t.strictSame(await triggerOf(checkId), { serviceId: service.id, name: 'Shop', ...defaults })
  t.match((await visitPage(plane, cookie, path)).text, `href="/app/checks/${checkId}"`)
  await setState(plane, checkId, 'failing')
  t.equal(await asVisitor(), 'Some systems are degraded · Acme')
  t.match((await visitPage(plane, cookie, path)).text, /As visitors see it[\s\S]*Acme[\s\S]*Degraded/)
  await setState(plane, checkId, 'passing')
  t.equal(await asVisitor(), 'All systems are operational · Acme')

  await change(cookie, 'remove', [checkId])
  t.equal(await triggerOf(checkId), null)
  t.match((await visitPage(plane, cookie, path)).text, 'It follows no check')
  t.equal(await asVisitor(), 'Nothing has been measured yet · Acme')
})

t.test('what a check says of its incidents stays, each change has its entry in the audit log', async (t) => {
  const { plane, service, change, triggerOf } = await withService(t)
  const cookie = await sessionOf(plane)
  const other = await made(plane, '/v1/status-pages/services', { name: 'Blog' })
  const own = { name: 'We are down', description: 'Sorry', severity: 'CRITICAL', notifySubscribers: false }
  const first = await addCheck(plane, 'One')
  const second = await addCheck(plane, 'Two')
  const elsewhere = { ...own, serviceId: other.id }
  await plane.call('PUT', `/v1/checks/${second}`, { body: { triggerIncident: elsewhere } })

  await change(cookie, 'remove', [second])
  t.strictSame(await triggerOf(second), elsewhere, 'a page from before takes nothing from another service')
  await change(cookie, 'add', [first, second])
  t.strictSame(await triggerOf(second), { ...own, serviceId: service.id })
  const { entries } = (await plane.call('GET', '/v1/audit-log')).body
  for (const id of [first, second])
    t.ok(
      entries.some((entry: object) => JSON.stringify(entry).includes(id)),
      'it is in the audit log',
    )

  const gone = '00000000-0000-4000-8000-000000000000'
  t.match((await change(cookie, 'add', [gone])).location, 'said=some', 'one that is gone is said')
})

t.test('who may not change sees no form, and what is sent anyway is refused', async (t) => {
  const { plane, path, change, triggerOf } = await withService(t)
  const checkId = await addCheck(plane, 'Cart')
  const reader = await sessionOf(plane, 'READ_ONLY')
  t.notMatch((await visitPage(plane, reader, path)).text, `${path}/checks`)
  t.equal((await change(reader, 'add', [checkId])).status, 403)
  const foreign = await fetch(`${plane.url}${path}/checks`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      cookie: await sessionOf(plane),
      origin: 'https://evil.example',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ _do: 'add', 'checkIds[]': checkId }).toString(),
  })
  t.equal(foreign.status, 403)
  t.equal(await triggerOf(checkId), null)
  t.equal((await visitPage(plane, reader, '/app/services/nothing')).status, 404)
})
