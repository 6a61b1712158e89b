// Runs on both engines in test:all: its statements run in no other file.
/** Every change has its entry, none has one without a change, and no secret is in it. */

import t from 'tap'
import { retentionTick } from '../../../../control-plane/platform/retention/retention-tick.ts'
import { readerOf, resourceTypeOf } from '../../../../control-plane/platform/web/audit/resource-of-route.ts'
import { shownChange } from '../../../../control-plane/platform/web/audit/shown-change.ts'
import { isForPrograms } from '../../../../control-plane/platform/web/http/route.ts'
import { retentionKinds } from '../../../../control-plane/retention.ts'
import { routes } from '../../../../control-plane/routes.ts'
import { eachEngine, type TestApp } from '../../../support/app.ts'
import { addPerson } from '../../../support/members.ts'
import { signedIn, signedInAs } from '../../../support/visitor.ts'

const entriesOf = async ({ call }: TestApp, query = '') => {
  const { status, text, body } = await call('GET', `/v1/audit-log${query}`)
  if (status !== 200) throw new Error(text)
  return body.entries
}

eachEngine('what was made, changed and removed is in the log, by whom and from where', async (t, plane) => {
  const ada = await addPerson(plane, { email: 'ada@example.com', role: 'ADMIN' })
  const key = ada.apiKey
  const made = await plane.call('POST', '/v1/snippets', { key, body: { name: 'sign-in', script: 'a' } })
  await plane.call('PUT', `/v1/snippets/${made.body.id}`, { key, body: { name: 'sign-in', script: 'b' } })
  plane.advance(1)
  await plane.call('DELETE', `/v1/snippets/${made.body.id}`, { key })
  const [removed, changed, created] = await entriesOf(plane)
  t.match(created, {
    actor: { type: 'USER_KEY', id: ada.userId, name: 'ada@example.com' },
    address: '127.0.0.1',
    action: 'POST /v1/snippets',
    resourceType: 'snippets',
    resourceId: String(made.body.id),
    resourceName: 'sign-in',
    before: null,
    after: { name: 'sign-in', script: 'a' },
  })
  t.match(changed, { action: 'PUT /v1/snippets/:id', before: { script: 'a' }, after: { script: 'b' } })
  t.equal(changed.resourceName, 'sign-in', 'what it was called, although that stayed')
  t.equal(removed.resourceName, 'sign-in')
  t.notOk('name' in changed.after, 'what stayed is not repeated')
  t.match(removed, { action: 'DELETE /v1/snippets/:id', before: { script: 'b' }, after: null })
})

eachEngine('a request that fails, or changes nothing, has no entry', async (t, plane) => {
  await plane.call('POST', '/v1/snippets', { body: {} })
  await plane.call('PUT', '/v1/snippets/77', { body: { name: 'a', script: 'b' } })
  await plane.call('DELETE', '/v1/accounts/me/invites/7a1f0c9b-6d2e-4b35-a8c7-e5d4f3b2a190')
  await plane.call('GET', '/v1/snippets')
  t.strictSame(await entriesOf(plane), [])
})

eachEngine('secrets are not in the log', async (t, plane) => {
  const secret = 'hunter2-hunter2-hunter2'
  await plane.call('POST', '/v1/variables', { body: { key: 'TOKEN', value: secret, secret: true } })
  await plane.call('PUT', '/v1/variables/TOKEN', { body: { value: `${secret}!`, secret: true } })
  const service = await plane.call('POST', '/v1/accounts/me/service-keys', {
    body: { name: 'ci', role: 'READ_ONLY' },
  })
  const invite = await plane.call('POST', '/v1/accounts/me/invites', {
    body: { email: 'bob@example.com', role: 'READ_ONLY' },
  })
  await plane.call('POST', '/v1/alert-channels', {
    body: {
      type: 'WEBHOOK',
      config: { name: 'hook', method: 'POST', url: `https://hooks.example/${secret}` },
    },
  })
  await plane.call('POST', '/v1/checks/api', {
    body: {
      name: 'api',
      request: {
        method: 'GET',
        url: 'https://shop.example/',
        basicAuth: { username: 'ada', password: secret },
      },
      environmentVariables: [{ key: 'SECRET', value: secret, secret: true }],
    },
  })
  const entries = await entriesOf(plane, '?limit=100')
  t.equal(entries.length, 6)
  const all = JSON.stringify(await plane.app.db.select((k) => k.selectFrom('audit_entries').selectAll()))
  for (const hidden of [secret, service.body.rawKey, invite.body.token]) {
    t.type(hidden, 'string')
    t.notMatch(all, hidden)
  }
})

eachEngine('what is done in a browser is in it, too, and every sign-in', async (t, plane) => {
  const ada = await addPerson(plane, { email: 'ada@example.com', role: 'ADMIN' })
  const visitor = await signedIn(t, plane, ada.apiKey)
  await visitor.post('/app/sessions/end-others')
  await (await signedInAs(plane, ada.userId)).post('/app/profile/password', {
    password: 'correct horse battery',
  })
  const entries = await entriesOf(plane)
  t.strictSame(
    entries.map(({ action }: { action: string }) => action),
    ['POST /app/profile/password', 'SIGNED_IN'],
    'there were no others to end',
  )
  t.match(entries[0].actor, { type: 'SESSION', id: ada.userId, name: 'ada@example.com' })
  t.notMatch(JSON.stringify(entries), 'horse')
  // The new password has ended the other session.
  const page = await (await signedInAs(plane, ada.userId)).get('/app/audit?resourceType=profile')
  t.match(page.text, 'changed their password')
})

eachEngine('the log is for admins, in pages, filtered, and ends with time', async (t, plane) => {
  const reader = await addPerson(plane, { email: 'reader@example.com', role: 'READ_WRITE' })
  t.equal((await plane.call('GET', '/v1/audit-log', { key: reader.apiKey })).status, 403)
  for (let i = 0; i < 5; i += 1) {
    plane.advance(1000)
    await plane.call('POST', '/v1/snippets', { body: { name: `n${i}`, script: '<b>a</b>' } })
  }
  const first = (await plane.call('GET', '/v1/audit-log?limit=3')).body
  const second = (await plane.call('GET', `/v1/audit-log?limit=3&nextId=${first.nextId}`)).body
  const names = [...first.entries, ...second.entries].map(({ after }) => after?.name)
  t.strictSame(
    names,
    [4, 3, 2, 1, 0].map((i) => `n${i}`),
  )
  t.equal(second.nextId, null)
  t.equal((await entriesOf(plane, '?resourceType=checks')).length, 0)
  t.equal((await entriesOf(plane, `?resourceId=${first.entries[0].resourceId}`)).length, 1)
  const other = await plane.addKey()
  t.equal((await plane.call('GET', '/v1/audit-log', { key: other.apiKey })).body.length, 0, 'another account')
  const visitor = await signedIn(t, plane)
  t.notMatch((await visitor.get('/app/audit')).text, '<b>')
  plane.advance(366 * 86_400_000)
  await retentionTick(retentionKinds)(plane.app, new AbortController().signal)
  t.strictSame(await entriesOf(plane), [])
})

t.test('every route that writes knows what it is about, and most what reads it', async (t) => {
  const writing = routes.filter(
    ({ method, access }) => method !== 'GET' && access !== 'PUBLIC' && !isForPrograms(access),
  )
  for (const route of writing)
    t.match(resourceTypeOf(route), /^[a-z][a-z-]*$/, `${route.method} ${route.path}`)
  const withoutReader = writing.filter(
    (route) => ['PUT', 'PATCH', 'DELETE'].includes(route.method) && readerOf(route, routes) === undefined,
  )
  t.ok(withoutReader.length < writing.length / 4, withoutReader.map(({ path }) => path).join(' '))
})

t.test('a field that is endless is named by its length', async (t) => {
  const script = 'x'.repeat(5000)
  t.strictSame(shownChange({ before: { script, same: 1 }, after: { script: 'y', same: 1 } }), {
    before: '{"script":"(5002 characters)"}',
    after: '{"script":"y"}',
  })
})

eachEngine('a form of a page is in the log as what it does, with before and after', async (t, plane) => {
  const visitor = await signedIn(t, plane)
  const body = { 'body.name': 'sign-in', 'body.script': 'a', _do: 'save' }
  t.equal((await visitor.post('/app/do/post/v1/snippets', body)).status, 303)
  const [{ id }] = (await plane.call('GET', '/v1/snippets')).body
  await visitor.post(`/app/do/put/v1/snippets/${id}`, { ...body, 'body.script': 'b' })
  await visitor.post(`/app/do/put/v1/snippets/${id}`, { ...body, _do: 'add:body.rows' })
  await visitor.post(`/app/do/delete/v1/snippets/${id}`)
  const check = await plane.call('POST', '/v1/checks/heartbeat', {
    body: { name: 'Backup', heartbeat: { period: 1, periodUnit: 'hours', grace: 1, graceUnit: 'hours' } },
  })
  await visitor.post(`/app/checks/${check.body.id}/set`, { name: 'muted', value: 'true' })
  await visitor.post('/app/checks/bulk', { 'checkIds[]': check.body.id, _do: 'pause' })
  const [many, muted, , removed, changed, made] = await entriesOf(plane)
  t.match(made, { action: 'POST /v1/snippets', resourceType: 'snippets', resourceId: String(id) })
  t.match(made, { actor: { type: 'SESSION' }, before: null, after: { name: 'sign-in', script: 'a' } })
  t.match(changed, { action: 'PUT /v1/snippets/:id', before: { script: 'a' }, after: { script: 'b' } })
  t.match(removed, { action: 'DELETE /v1/snippets/:id', before: { script: 'b' }, after: null })
  t.match(muted, { action: 'PATCH /v1/checks/:id', before: { muted: false }, after: { muted: true } })
  t.match(many, {
    action: 'PATCH /v1/checks/:id',
    resourceId: check.body.id,
    before: { activated: true },
    after: { activated: false },
  })
})
