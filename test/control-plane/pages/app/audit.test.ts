// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { deedOf, kindsOfThings } from '../../../../control-plane/pages/app/audit-deeds.ts'
import { resourceTypeOf } from '../../../../control-plane/platform/web/audit/resource-of-route.ts'
import { isForPrograms } from '../../../../control-plane/platform/web/http/route.ts'
import { servedRoutes } from '../../../../control-plane/routes.ts'
import { eachEngine, testApp } from '../../../support/app.ts'
import { addPerson } from '../../../support/members.ts'
import { signedInAs } from '../../../support/visitor.ts'

/** What an entry can be about: every route that somebody of an account changes something with. */
const audited = servedRoutes
  .map((route) => route.standsFor ?? route)
  .filter(({ method, access }) => method !== 'GET' && access !== 'PUBLIC' && !isForPrograms(access))
  // It reads: a question that is too long for an address.
  .filter(({ path }) => path !== '/v1/analytics/checks')

t.test('every change has a sentence of its own, and a kind to look for', (t) => {
  for (const route of audited) {
    const action = `${route.method} ${route.path}`
    const { sentence, thing } = deedOf({ action, resourceId: 'x', before: null, after: null })
    t.notMatch(`${sentence} ${thing}`, /something|[/_:]/, action)
    t.ok(Object.hasOwn(kindsOfThings, resourceTypeOf(route)), action)
  }
  t.ok(audited.length > 80)
  t.end()
})

t.test('a switch has its own verb', (t) => {
  const said = (before: object, after: object): string => {
    const { sentence, thing } = deedOf({
      ...{ action: 'PUT /v1/checks/url/:id', resourceId: 'x' },
      ...{ before: { ...before }, after: { ...after } },
    })
    return sentence.replace('{0} ', '').replace('{1}', thing).replace(' {2}', '')
  }
  t.equal(said({ muted: false }, { muted: true, updated_at: 'x' }), 'muted the check')
  t.equal(said({ activated: true }, { activated: false }), 'paused the check')
  t.equal(said({ activated: true, name: 'a' }, { activated: false, name: 'b' }), 'changed the check')
  t.end()
})

const readable = (text: string): string =>
  (/<main.*<\/main>/s.exec(text)?.[0] ?? '').replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

eachEngine('the log is read as sentences, by who did what, and what it was called then', async (t, plane) => {
  const ada = await addPerson(plane, { email: 'ada@example.com', name: 'Ada', role: 'ADMIN' })
  const bob = await addPerson(plane, { email: 'bob@example.com', role: 'READ_WRITE' })
  const as = (key: string) => (method: string, path: string, body?: unknown) => {
    plane.advance(1000)
    return plane.call(method, path, { key, ...(body === undefined ? {} : { body }) })
  }
  const [byAda, byBob] = [as(ada.apiKey), as(bob.apiKey)]
  const check = (
    await byAda('POST', '/v1/checks/url', { name: 'Checkout', request: { url: 'https://shop.example/' } })
  ).body
  await byAda('PUT', `/v1/checks/url/${check.id}`, { muted: true })
  await byAda('PUT', `/v1/checks/url/${check.id}`, { name: 'Till', frequency: 5 })
  const channel = (
    await byBob('POST', '/v1/alert-channels', { type: 'EMAIL', config: { address: 'ops@example.com' } })
  ).body
  await byBob('PUT', `/v1/alert-channels/${channel.id}/subscriptions`, { checkId: check.id, activated: true })
  await byBob('POST', '/v1/status-pages/services', { name: 'Search' })
  const snippet = (await byBob('POST', '/v1/snippets', { name: '<i>', script: 'a' })).body
  await byBob('DELETE', `/v1/snippets/${snippet.id}`)
  await byAda('DELETE', `/v1/checks/${check.id}`)

  const visitor = await signedInAs(plane, ada.userId)
  const page = await visitor.get('/app/audit')
  t.equal(page.status, 200)
  const text = readable(page.text)
  for (const sentence of [
    'Ada created the check Checkout',
    'Ada muted the check Checkout',
    'Ada changed the check Till',
    'Ada deleted the check Till',
    'bob@example.com created the channel ops@example.com',
    'bob@example.com changed what subscribes to the channel ops@example.com',
    'bob@example.com created the service Search',
    'bob@example.com deleted the snippet &lt;i&gt;',
  ])
    t.match(text, sentence)
  t.notMatch(text, /\/v1\/|POST|RUN_BASED|EMAIL/)
  t.match(text, /How often.* Before After/, 'fields by their labels')
  t.match(page.text, `href="/app/channels/${channel.id}"`)
  t.notMatch(
    page.text.split('<li>').find((each) => each.includes('deleted the check')),
    `/app/checks/${check.id}`,
    'what is gone is no link',
  )

  const ofBob = readable((await visitor.get(`/app/audit?actorId=${bob.userId}&resourceType=&from=&to=`)).text)
  t.match(ofBob, 'created the service Search')
  t.notMatch(ofBob, 'Checkout')
  const ofChecks = readable((await visitor.get('/app/audit?resourceType=checks')).text)
  t.match(ofChecks, 'muted the check')
  t.notMatch(ofChecks, 'Search')
  const ofOne = readable((await visitor.get(`/app/audit?resourceId=${check.id}`)).text)
  t.match(ofOne, 'deleted the check Till')
  t.notMatch(ofOne, 'created the channel')
  t.match(readable((await visitor.get('/app/audit?from=2999-01-01')).text), 'Nothing like this was changed')
})

t.test('older entries keep the filter', async (t) => {
  const plane = await testApp(t)
  const ada = await addPerson(plane, { email: 'ada@example.com', role: 'ADMIN' })
  for (let n = 0; n < 60; n++) {
    plane.advance(1000)
    await plane.call('POST', '/v1/snippets', { key: ada.apiKey, body: { name: `n${n}.`, script: 'a' } })
  }
  const visitor = await signedInAs(plane, ada.userId)
  const first = (await visitor.get(`/app/audit?actorId=${ada.userId}&resourceType=snippets`)).text
  t.match(first, 'n59.')
  const next = (/rel="next" href="([^"]*)"/.exec(first)?.[1] ?? '').replaceAll('&amp;', '&')
  t.match(next, `actorId=${ada.userId}&resourceType=snippets`)
  const second = readable((await visitor.get(next)).text)
  t.match(second, 'n0.')
  t.match(second, 'n9.')
  t.notMatch(second, 'n10.')
})
