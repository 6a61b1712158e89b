// Runs in test:all only: it sends hundreds of hostile requests.
/** What robots and forgers try at the pages that anybody may open. */
import http from 'node:http'
import type { PassThrough } from 'node:stream'
import t, { type Test } from 'tap'
import { admitAttempt } from '../../../control-plane/access/sign-in/sign-in-limit.ts'
import {
  eventStream,
  maxStreams as maxDashboardStreams,
  maxOfAddress,
} from '../../../control-plane/pages/dashboard/events.ts'
import type { RequestContext } from '../../../control-plane/pages/dashboard/request-context.ts'
import { maxStreams, openStream, openStreams } from '../../../control-plane/pages/status/live-streams.ts'
import { retentionTick } from '../../../control-plane/platform/retention/retention-tick.ts'
import { mailTick } from '../../../control-plane/platform/services/mail/mail-tick.ts'
import { retentionKinds } from '../../../control-plane/retention.ts'
import { servedRoutes } from '../../../control-plane/routes.ts'
import { eachEngine, type TestApp, testApp } from '../../support/app.ts'
import { sessionOf } from '../../support/dashboard.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { withMailbox } from '../../support/mailbox.ts'
import { makePage, subscribeVerified } from '../../support/status-page.ts'
import { until } from '../../support/until.ts'
import { signedIn } from '../../support/visitor.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const subscribe = async ({ url }: TestApp, address: string, from: string): Promise<number> => {
  const answer = await fetch(`${url}/status/acme/subscribe`, {
    method: 'POST',
    headers: {
      ...{ origin: url, accept: 'text/html', 'x-forwarded-for': from },
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ address }).toString(),
  })
  await answer.text()
  return answer.status
}

const addressesIn = async ({ app }: TestApp) =>
  (
    await app.db.select((k) => k.selectFrom('status_page_subscriptions').select('address').orderBy('address'))
  ).map(({ address }) => address)

eachEngine(
  'a robot that subscribes ever more addresses fills nothing and mails nobody twice',
  async (t, plane) => {
    const { pageId } = await makePage(plane)
    await subscribeVerified(plane, pageId, ['grace@example.com'])
    const ofOne: number[] = []
    for (let sent = 0; sent < 25; sent++)
      ofOne.push(await subscribe(plane, `one${sent}@example.com`, '198.51.100.1'))
    t.strictSame(ofOne, [...Array(20).fill(200), ...Array(5).fill(429)], 'an address has 20 a minute')
    const ofMany: number[] = []
    for (let sent = 0; sent < 200; sent++)
      ofMany.push(await subscribe(plane, `many${sent}@example.com`, `203.0.113.${sent}`))
    t.strictSame(ofMany, [...Array(180).fill(200), ...Array(20).fill(429)], 'a page takes 200 an hour')
    t.equal((await addressesIn(plane)).length, 201)
    t.equal(await subscribe(plane, 'many0@example.com', '203.0.113.250'), 200, 'as if it were new')
    const mails = await plane.app.db.select((k) => k.selectFrom('mails').select(['kind', 'address_key']))
    t.equal(mails.length, 200)
    t.equal(new Set(mails.map((mail) => mail.address_key)).size, 200, 'one mail for each')
    plane.advance(7 * dayMs - hourMs)
    await retentionTick(retentionKinds)(plane.app, new AbortController().signal)
    t.equal((await addressesIn(plane)).length, 201, 'there is time to say yes')
    plane.advance(2 * hourMs)
    await retentionTick(retentionKinds)(plane.app, new AbortController().signal)
    t.strictSame(await addressesIn(plane), ['grace@example.com'], 'who never said yes is forgotten')
  },
  { env: { TRUSTED_PROXIES: '127.0.0.0/8' } },
)

/** `fetch` lets nobody say another host. */
const askAs = (plane: TestApp, host: string, path: string, form?: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = {
      ...{ host, accept: 'text/html', 'x-forwarded-host': host, forwarded: `host=${host}` },
      ...(form === undefined
        ? {}
        : { origin: plane.url, 'content-type': 'application/x-www-form-urlencoded' }),
    }
    const request = http.request(`${plane.url}${path}`, {
      method: form === undefined ? 'GET' : 'POST',
      headers,
    })
    request.on('error', reject)
    request.on('response', async (response) => {
      const parts: Buffer[] = []
      for await (const part of response) parts.push(part as Buffer)
      resolve(`${JSON.stringify(response.headers)}\n${Buffer.concat(parts).toString()}`)
    })
    request.end(form)
  })

t.test('whatever host a request names, links lead to the configured address', async (t) => {
  const plane = await testApp(t, { env: { BASE_URL: 'https://watch.example' } })
  const box = await withMailbox(t, plane)
  await makePage(plane)
  const host = 'evil.example'
  for (const path of [
    '/',
    '/sign-in',
    '/app',
    '/docs/checks',
    '/status/acme',
    '/status/acme/feed.atom',
    '/nowhere',
  ])
    t.notMatch(await askAs(plane, host, path), host, path)
  t.notMatch(await askAs(plane, host, '/status/acme/subscribe', 'address=ada%40example.com'), host)
  await plane.call('POST', '/v1/public/status-pages/acme/subscriptions', {
    key: null,
    headers: { 'x-forwarded-host': host },
    body: { address: 'bob@example.com' },
  })
  await mailTick(plane.app)
  t.ok(box.mails.length > 0)
  for (const { text = '', html = '' } of box.mails) {
    t.match(text, 'https://watch.example/subscriptions/')
    t.notMatch(text + html, host)
  }
})

t.test('streams of status pages are bounded in all, however many addresses open them', async (t) => {
  const plane = await testApp(t)
  await makePage(plane)
  const ending = new AbortController()
  for (let open = 0; open < maxStreams; open++)
    openStream(plane.app, {
      ...{ url: 'acme', version: '1', lastEventId: undefined, signal: ending.signal },
      address: `2001:db8::${open.toString(16)}`,
    })
  const answer = await fetch(`${plane.url}/status/acme/events`)
  t.equal(answer.status, 503, await answer.text())
  ending.abort()
  t.equal(openStreams(plane.app), 0, 'and the room is there again')
})

const visitIn = (
  plane: TestApp,
  { signal, keyId, address = '192.0.2.1', cookie = '' }: Visiting,
): RequestContext =>
  ({
    app: plane.app,
    principal: { accountId: plane.accountId, keyId },
    input: { signal, headers: { cookie }, address },
  }) as unknown as RequestContext

type Visiting = { signal: AbortSignal; keyId: string; address?: string; cookie?: string }

t.test('streams of the dashboard are bounded in all, however many people are signed in', async (t) => {
  const plane = await testApp(t)
  const ending = new AbortController()
  const { signal } = ending
  t.teardown(() => ending.abort())
  for (let open = 0; open < maxDashboardStreams; open++)
    await eventStream(visitIn(plane, { signal, keyId: `session ${open}`, address: `2001:db8::${open}` }))
  const headers = { cookie: await sessionOf(plane) }
  const refused = await fetch(`${plane.url}/app/events`, { headers })
  t.equal(refused.status, 503)
  t.equal(refused.headers.get('retry-after'), '60')
})

t.test('nor does one address take them all, with however many sessions', async (t) => {
  const plane = await testApp(t)
  const ending = new AbortController()
  const { signal } = ending
  t.teardown(() => ending.abort())
  for (let open = 0; open < maxOfAddress; open++)
    await eventStream(visitIn(plane, { signal, keyId: `session ${open}` }))
  await t.rejects(
    eventStream(visitIn(plane, { signal, keyId: 'one more' })),
    new Error('Too many pages are open'),
  )
  await eventStream(visitIn(plane, { signal, keyId: 'elsewhere', address: '192.0.2.2' }))
})

const openedBy = async (t: Test, plane: TestApp, cookie: string): Promise<PassThrough> => {
  const ending = new AbortController()
  t.teardown(() => ending.abort())
  const { body } = await eventStream(visitIn(plane, { signal: ending.signal, keyId: cookie, cookie }))
  return body as unknown as PassThrough
}

t.test('a stream that nobody reads takes little, and ends', async (t) => {
  const clock = fakeClock()
  const plane = await testApp(t, { parts: { clock } })
  const body = await openedBy(t, plane, await sessionOf(plane))
  const finished = { accountId: plane.accountId, checkType: 'URL', location: 'local', id: 'r', isFinal: true }
  const times = { dueAt: 0, startedAt: 0, stoppedAt: 0, metrics: {}, detail: null }
  const runs = Array.from({ length: 40 }, () => ({ ...finished, ...times, checkId: plane.app.newId() }))
  await until('its end', () => {
    plane.app.finishedRuns.publish(runs.map((run) => ({ ...run, verdict: 'failing' as never })))
    clock.advance(1000)
    return body.writableEnded
  })
  t.ok(body.readableLength < 20_000, `${body.readableLength} bytes`)
})

t.test('a stream ends with its session', async (t) => {
  const clock = fakeClock()
  const plane = await testApp(t, { parts: { clock } })
  const visitor = await signedIn(t, plane)
  const [[name, value] = []] = visitor.cookies
  const body = await openedBy(t, plane, `${name}=${value}`)
  body.resume()
  clock.advance(15_000)
  await until('a beat', () => clock.timers() > 0)
  t.notOk(body.writableEnded, 'not before')
  await visitor.post('/sign-out')
  await until('its end', () => {
    clock.advance(15_000)
    return body.writableEnded
  })
})

t.test('wrong passwords are limited for an account from however many addresses', async (t) => {
  const plane = await testApp(t)
  const tryAs = (account: string, from: number) => () =>
    admitAttempt(plane.app, { account, address: `198.51.${from % 250}.1`, known: null })
  for (let tried = 0; tried < 100; tried++) tryAs('ada@example.com', tried)()
  t.throws(tryAs(' ADA@example.com', 101), new Error('Too many attempts to sign in'))
  t.doesNotThrow(tryAs('grace@example.com', 102), 'nobody else is kept out')
})

const filled = (path: string): string => path.replace(/:\w+/g, '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11')

t.test('no form is taken from another origin', async (t) => {
  const plane = await testApp(t)
  const visitor = await signedIn(t, plane)
  // A link in a mail is what lets these be done, by whoever has it: also by a mail program that sends its own form.
  const byToken = ['/alerts/:token', '/integrations/slack/actions', '/subscriptions/:token/unsubscribe']
  const forms = servedRoutes.filter(
    ({ method, page, form, path }) =>
      method !== 'GET' && (page === true || form === true) && !byToken.includes(path),
  )
  t.ok(forms.length > 80)
  for (const { path, method } of forms) {
    t.equal(method, 'POST', path)
    for (const origin of ['https://evil.example', 'null']) {
      const { status } = await visitor.post(filled(path), {}, { origin })
      t.equal(status, 403, `${path} from ${origin}`)
    }
  }
})

t.test('no page is shown in a frame of others', async (t) => {
  const plane = await testApp(t)
  const visitor = await signedIn(t, plane)
  const pages = servedRoutes.filter(
    ({ method, responseType, path }) =>
      method === 'GET' && responseType === 'text/html' && !path.includes(':') && !path.includes('/do/'),
  )
  t.ok(pages.length > 25)
  for (const { path } of pages) {
    const { status, headers } = await visitor.get(path)
    if (status === 303) continue
    t.match(headers.get('content-security-policy'), "frame-ancestors 'none'", path)
  }
})
