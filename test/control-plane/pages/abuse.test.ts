/** What robots and forgers try at the pages that anybody may open. */
import http from 'node:http'
import t from 'tap'
import { eventStream } from '../../../control-plane/pages/dashboard/events.ts'
import type { Visit } from '../../../control-plane/pages/dashboard/visit.ts'
import { mostStreams, openStream, openStreams } from '../../../control-plane/pages/status/live-streams.ts'
import { mailTick } from '../../../control-plane/platform/mail/mail-tick.ts'
import { retentionTick } from '../../../control-plane/platform/retention/retention-tick.ts'
import { retentionKinds } from '../../../control-plane/retention.ts'
import { eachEngine, type TestApp, testApp } from '../../support/app.ts'
import { sessionOf } from '../../support/dashboard.ts'
import { withMailbox } from '../../support/mailbox.ts'
import { makePage, subscribeVerified } from '../../support/status-page.ts'

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
  for (let open = 0; open < mostStreams; open++)
    openStream(plane.app, {
      ...{ url: 'acme', version: '1', lastEventId: undefined, signal: ending.signal },
      address: `2001:db8::${open.toString(16)}`,
    })
  const answer = await fetch(`${plane.url}/status/acme/events`)
  t.equal(answer.status, 503, await answer.text())
  ending.abort()
  t.equal(openStreams(plane.app), 0, 'and the room is there again')
})

t.test('streams of the dashboard are bounded in all, however many people are signed in', async (t) => {
  const plane = await testApp(t)
  const ending = new AbortController()
  t.teardown(() => ending.abort())
  const visitOf = (keyId: string) =>
    ({
      app: plane.app,
      principal: { accountId: plane.accountId, keyId },
      input: { signal: ending.signal },
    }) as unknown as Visit
  for (let open = 0; open < 1000; open++) await eventStream(visitOf(`session ${open}`))
  const headers = { cookie: await sessionOf(plane) }
  const refused = await fetch(`${plane.url}/app/events`, { headers })
  t.equal(refused.status, 503)
  t.equal(refused.headers.get('retry-after'), '60')
})
