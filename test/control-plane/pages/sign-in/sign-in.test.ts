// Runs on both engines in test:all: its statements run in no other file.
/** Signing in with a key, and what a session is good for and what not. */
import t from 'tap'
import { localPath } from '../../../../control-plane/pages/sign-in/local-path.ts'
import { retentionTick } from '../../../../control-plane/platform/retention/retention-tick.ts'
import { retentionKinds } from '../../../../control-plane/retention.ts'
import { eachEngine, testApp } from '../../../support/app.ts'
import { addPerson } from '../../../support/members.ts'
import { signedIn, visitorOf } from '../../../support/visitor.ts'

const hour = 3_600_000
const day = 24 * hour

eachEngine(
  'a key that is pasted opens a session, which leads back to where somebody wanted to go',
  async (t, plane) => {
    const visitor = visitorOf(plane)
    const first = await visitor.get('/app?a=1')
    t.equal(first.status, 303)
    t.equal(first.headers.get('location'), '/sign-in?next=%2Fapp%3Fa%3D1')
    const form = await visitor.get(first.headers.get('location') ?? '')
    t.match(form.text, 'value="/app?a=1"')
    const wrong = await visitor.post('/sign-in', { key: 'wp_wrong' })
    t.equal(wrong.status, 401)
    t.match(wrong.text, 'This key opens nothing here.')
    t.notOk(visitor.cookies.has('watchpost'), 'no session')
    const right = await visitor.post('/sign-in', { key: plane.apiKey, next: '/app?a=1' })
    t.equal(right.status, 303)
    t.equal(right.headers.get('location'), '/app?a=1')
    t.match(
      right.headers.get('set-cookie'),
      /^watchpost=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    )
    const home = await visitor.get('/app')
    t.equal(home.status, 200)
    t.match(home.text, 'Owner')
  },
)

t.test('over TLS the cookie is for this host alone', async (t) => {
  const plane = await testApp(t, { env: { BASE_URL: 'https://watch.example' } })
  const answer = await visitorOf(plane).post('/sign-in', { key: plane.apiKey }, { origin: plane.url })
  t.match(answer.headers.get('set-cookie'), /^__Host-watchpost=.*; Secure$/)
})

t.test('where somebody goes next is always here', async (t) => {
  const elsewhere = [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example',
    '/%09/evil.example',
    '/\t/evil.example',
    '/\n//evil.example',
    'javascript:alert(1)',
    'app',
    '',
    '/./\\evil.example',
    '/.//evil.example',
    '/app/..//evil.example',
    '/sign-in?next=/app',
    '/sign-out',
    `/${'a'.repeat(3000)}`,
  ]
  for (const next of elsewhere) {
    const path = localPath(next)
    t.equal(new URL(path, 'https://watch.example').origin, 'https://watch.example', next)
    t.notMatch(path, /^\/[/\\]/, next)
  }
  t.equal(localPath('//evil.example/'), '/app')
  t.equal(localPath('/app/checks?type=URL#x'), '/app/checks?type=URL')
  const plane = await testApp(t)
  for (const next of elsewhere.slice(0, 4)) {
    const { headers } = await visitorOf(plane).post('/sign-in', { key: plane.apiKey, next })
    t.equal(headers.get('location'), '/app', next)
  }
})

eachEngine('a cookie that was set before the sign-in opens nothing (fixation)', async (t, plane) => {
  const planted = 'A'.repeat(43)
  const victim = visitorOf(plane, new Map([['watchpost', planted]]))
  t.equal((await victim.get('/app')).status, 303)
  await victim.post('/sign-in', { key: plane.apiKey })
  t.not(victim.cookies.get('watchpost'), planted)
  t.equal((await visitorOf(plane, new Map([['watchpost', planted]])).get('/app')).status, 303)
  const before = victim.cookies.get('watchpost')
  await victim.post('/sign-in', { key: plane.apiKey })
  t.not(victim.cookies.get('watchpost'), before, 'a new secret each time')
})

eachEngine('a cookie that was stolen opens nothing after the sign-out', async (t, plane) => {
  const visitor = await signedIn(t, plane)
  const thief = visitorOf(plane, new Map(visitor.cookies))
  t.equal((await thief.get('/app')).status, 200)
  const out = await visitor.post('/sign-out')
  t.equal(out.headers.get('location'), '/sign-in')
  t.equal(visitor.cookies.size, 0)
  t.equal((await thief.get('/app')).status, 303)
})

eachEngine('a session ends with its key, and follows the role, within five seconds', async (t, plane) => {
  const person = await addPerson(plane, { email: 'ada@example.com', role: 'ADMIN' })
  const visitor = await signedIn(t, plane, person.apiKey)
  t.match((await visitor.get('/app')).text, 'Admin')
  await plane.app.db.execute((k) =>
    k.updateTable('memberships').set({ role: 'READ_ONLY' }).where('user_id', '=', person.userId),
  )
  plane.advance(5001)
  t.match((await visitor.get('/app')).text, 'May look')
  await plane.app.db.execute((k) =>
    k.updateTable('api_keys').set({ revoked_at: 1 }).where('user_id', '=', person.userId),
  )
  plane.advance(5001)
  t.equal((await visitor.get('/app')).status, 303)
})

eachEngine('a session ends 12 hours after its last use, and after 30 days', async (t, plane) => {
  const idle = await signedIn(t, plane)
  plane.advance(12 * hour + 1)
  t.equal((await idle.get('/app')).status, 303, 'nobody used it')
  const busy = await signedIn(t, plane)
  for (let passed = 0; passed < 30 * day - 11 * hour; passed += 11 * hour) {
    t.equal((await busy.get('/app')).status, 200)
    plane.advance(11 * hour)
  }
  plane.advance(11 * hour)
  t.equal((await busy.get('/app')).status, 303, 'it is a month old')
  await retentionTick(retentionKinds)(plane.app, new AbortController().signal)
  t.strictSame(
    await plane.app.db.select((k) => k.selectFrom('user_sessions').select('id')),
    [],
    'and its row is gone',
  )
})

t.test('forms of other sites do nothing, and no site shows ours in a frame', async (t) => {
  const plane = await testApp(t)
  const visitor = await signedIn(t, plane)
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: plane.url.replace('127.0.0.1', 'localhost') },
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://sub.evil.example', 'sec-fetch-site': 'same-site' },
  ]) {
    t.equal((await visitor.post('/sign-out', {}, headers)).status, 403, headers.origin)
    t.equal((await visitor.post('/sign-in', { key: plane.apiKey }, headers)).status, 403, headers.origin)
  }
  t.equal((await visitor.get('/app')).status, 200, 'still signed in')
  for (const path of ['/sign-in', '/app']) {
    const { headers } = await visitor.get(path)
    t.match(headers.get('content-security-policy'), "frame-ancestors 'none'", path)
    t.equal(headers.get('x-frame-options'), 'DENY')
    t.match(headers.get('cache-control'), 'no-store')
  }
})

t.test('guessing keys is slow, and a right one goes on elsewhere', async (t) => {
  const plane = await testApp(t)
  const visitor = visitorOf(plane)
  const statuses = new Map<number, number>()
  for (let i = 0; i < 40; i += 1) {
    const { status } = await visitor.post('/sign-in', { key: `wp_${i}` })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  t.strictSame(
    [...statuses],
    [
      [401, 30],
      [429, 10],
    ],
  )
  t.equal((await visitor.post('/sign-in', { key: plane.apiKey })).status, 429)
  plane.advance(900_001)
  t.equal((await visitor.post('/sign-in', { key: plane.apiKey })).status, 303)
})

t.test('a session opens no route of the API, and a key opens no page', async (t) => {
  const plane = await testApp(t)
  const visitor = await signedIn(t, plane)
  t.equal((await visitor.get('/v1/checks')).status, 401)
  t.equal((await visitorOf(plane).get('/app', { authorization: `Bearer ${plane.apiKey}` })).status, 303)
})
