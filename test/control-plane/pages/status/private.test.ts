// Runs in test:all only: it hashes a hundred passwords.
/** Private pages, forms, colours that nobody could read, and streams that are left open. */
import t from 'tap'
import { contrast } from '../../../../control-plane/communication/status-pages/color-contrast.ts'
import { colorNames } from '../../../../control-plane/communication/stored-pages/branding.ts'
import { liveTick, maxOfAddress, openStreams } from '../../../../control-plane/pages/status/live-streams.ts'
import { mailTick } from '../../../../control-plane/platform/services/mail/mail-tick.ts'
import { eachEngine, type TestApp, testApp } from '../../../support/app.ts'
import { withMailbox } from '../../../support/mailbox.ts'
import { shownPage, tell } from '../../../support/shown-page.ts'
import { until } from '../../../support/until.ts'

const send = (
  plane: TestApp,
  path: string,
  fields: Record<string, string> | [string, string][],
  headers: Record<string, string> = {},
) =>
  fetch(`${plane.url}/status/acme/${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  })

const look = (plane: TestApp, path = '', cookie = '') =>
  fetch(`${plane.url}/status/acme${path}`, { headers: { accept: 'text/html', cookie } })

const publish = (plane: TestApp, pageId: string, body: object) =>
  plane.call('PUT', `/v1/status-pages/${pageId}/publication`, { body })

eachEngine('a private page shows nothing until its password was given', async (t, plane) => {
  const { pageId, services, incidents } = await shownPage(plane)
  const cards = [{ name: 'All', services: services.map((id) => ({ id })) }]
  const change = (more: object) =>
    plane.call('PUT', `/v1/status-pages/${pageId}`, { body: { name: 'Acme', url: 'acme', cards, ...more } })
  const { rawKey } = (await change({ isPrivate: true })).body.keys[0]
  plane.advance(1500)
  for (const path of ['', '/history', `/incidents/${incidents[0]}`]) {
    const closed = await look(plane, path)
    t.equal(closed.status, 401, path)
    t.notMatch(await closed.text(), /Storefront|declined/)
  }
  for (const path of [
    '/feed.atom',
    '/api/status.json',
    '/badge.svg',
    '/embed',
    '/events',
    '/maintenance.ics',
  ])
    t.equal((await look(plane, path)).status, 401, path)
  t.equal((await send(plane, 'open', { password: 'wrong' })).status, 401)
  const opened = await send(plane, 'open', { password: rawKey })
  t.equal(opened.status, 303)
  const set = opened.headers.get('set-cookie') ?? ''
  t.match(set, /HttpOnly; SameSite=Lax/)
  const cookie = set.split(';')[0] ?? ''
  const shown = await look(plane, '', cookie)
  t.equal(shown.status, 200)
  t.match(shown.headers.get('cache-control'), /^private/)
  t.match(await shown.text(), /noindex[\s\S]*Storefront/)
  const forged = cookie.replace(/=(\d+)\./, (_, expires) => `=${Number(expires) + 1}.`)
  t.equal((await look(plane, '', forged)).status, 401, 'its end is signed')
  await change({ isPrivate: false })
  await change({ isPrivate: true })
  plane.advance(1500)
  t.equal((await look(plane, '', cookie)).status, 401, 'a new password ends what the old one opened')
})

eachEngine("an owner's own password, and networks that need none", async (t, plane) => {
  const { pageId } = await shownPage(plane, { more: { isPrivate: true } })
  t.equal((await publish(plane, pageId, { password: 'short' })).status, 400)
  const set = await publish(plane, pageId, { password: 'correct horse battery' })
  t.same(set.body, {
    frameAncestors: [],
    allowedNetworks: [],
    languages: [],
    hasPassword: true,
    domain: null,
  })
  t.equal((await send(plane, 'open', { password: 'correct horse battery' })).status, 303)
  t.equal((await publish(plane, pageId, { allowedNetworks: ['nonsense'] })).status, 400)
  await publish(plane, pageId, { allowedNetworks: ['127.0.0.0/8'] })
  plane.advance(1500)
  t.equal((await look(plane)).status, 200)
  const gone = await publish(plane, pageId, { password: null, allowedNetworks: [] })
  t.equal(gone.body.hasPassword, false)
  plane.advance(1500)
  t.equal((await look(plane)).status, 401)
  t.equal((await send(plane, 'open', { password: 'correct horse battery' })).status, 401)
})

eachEngine('passwords are not guessed from one address', async (t, plane) => {
  await shownPage(plane, { more: { isPrivate: true } })
  const statuses: number[] = []
  for (let attempt = 0; attempt < 11; attempt += 1)
    statuses.push((await send(plane, 'open', { password: `guess ${attempt}` })).status)
  t.same(statuses, [...Array(10).fill(401), 429])
})

t.test('nor from many addresses', async (t) => {
  const plane = await testApp(t, { env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
  await shownPage(plane, { more: { isPrivate: true } })
  const statuses: number[] = []
  for (let attempt = 0; attempt < 61; attempt += 1) {
    const from = { 'x-forwarded-for': `198.51.${attempt}.1` }
    statuses.push((await send(plane, 'open', { password: 'guess' }, from)).status)
  }
  t.same(statuses, [...Array(60).fill(401), 429])
})

t.test('strangers do not keep out who was let in before, has a password of ours, or is new', async (t) => {
  const plane = await testApp(t, { env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
  const { pageId, services } = await shownPage(plane)
  const cards = [{ name: 'All', services: services.map((id) => ({ id })) }]
  const { body } = await plane.call('PUT', `/v1/status-pages/${pageId}`, {
    body: { name: 'Acme', url: 'acme', cards, isPrivate: true },
  })
  plane.advance(1500)
  const password = 'correct horse battery'
  await publish(plane, pageId, { password })
  const open = (fields: Record<string, string>, address: string, cookie = '') =>
    send(plane, 'open', fields, { 'x-forwarded-for': address, cookie })
  const first = await open({ password }, '203.0.113.1')
  t.equal(first.status, 303)
  const cookies = first.headers.getSetCookie().map((set) => set.split(';')[0] ?? '')
  t.equal(cookies.length, 2)
  const known = cookies.find((pair) => pair.startsWith('known-status-')) ?? ''
  t.equal((await look(plane, '', known)).status, 401, 'it opens nothing by itself')
  for (let attempt = 0; attempt < 61; attempt += 1)
    await open({ password: 'guess' }, `198.51.${attempt % 3}.${attempt}`)
  t.equal((await open({ password: 'guess' }, '198.51.1.99')).status, 429)
  t.equal((await open({ password }, '192.0.2.7')).status, 303, 'a network that has not guessed')
  for (let attempt = 0; attempt < 61; attempt += 1) await open({ password: 'guess' }, `198.51.${attempt}.9`)
  t.equal((await open({ password }, '192.0.2.8')).status, 429, 'guesses are bounded in all')
  t.equal((await open({ password }, '192.0.2.8', known)).status, 303, 'who was here')
  t.equal(
    (await open({ password: body.keys[0].rawKey ?? '' }, '192.0.2.9')).status,
    303,
    'what cannot be guessed',
  )
})

eachEngine('the form subscribes as the API does, and only from our own pages', async (t, plane) => {
  const { pageId } = await shownPage(plane)
  const form = { address: 'ada@example.com' }
  t.equal((await send(plane, 'subscribe', form, { origin: 'https://evil.example' })).status, 403)
  t.equal((await send(plane, 'subscribe', { address: 'nobody' })).status, 400)
  const sent = await send(plane, 'subscribe', form)
  t.equal(sent.status, 200)
  t.match(await sent.text(), /Look into your mailbox/)
  const { body } = await plane.call('GET', `/v1/status-pages/${pageId}/subscriptions`)
  t.match(body, [{ address: 'ada@example.com', status: 'PENDING' }])
})

eachEngine(
  'the form offers which services to hear of, and the mail says what was chosen',
  async (t, plane) => {
    const box = await withMailbox(t, plane)
    const { pageId } = await shownPage(plane)
    const { body: before } = await plane.call('GET', `/v1/status-pages/${pageId}`)
    const services: { id: string; name: string }[] = before.cards.flatMap(
      (card: { services: { id: string; name: string }[] }) => card.services,
    )
    const { body: mail } = await plane.call('POST', '/v1/status-pages/services', {
      body: { name: 'Mail & more' },
    })
    const { name, url } = before
    const cards = [{ name: 'All', services: [...services, mail].map(({ id }) => ({ id })) }]
    await plane.call('PUT', `/v1/status-pages/${pageId}`, { body: { name, url, cards } })
    plane.advance(1500)
    const page = await (await look(plane, '')).text()
    t.match(page, /<details><summary>Only some services<\/summary>/)
    t.match(page, `name="services[]" value="${mail.id}"><span dir="auto">Mail &amp; more</span>`)
    const ask = async (...ids: string[]) => {
      const chosen = ids.map((id): [string, string] => ['services[]', id])
      return (await send(plane, 'subscribe', [['address', 'ada@example.com'], ...chosen])).status
    }
    const chosen = async () => {
      const { body } = await plane.call('GET', `/v3/status-pages/${pageId}/subscribers`)
      return body.entries.map((one: { subscribedComponents: string[] }) => one.subscribedComponents)
    }
    t.equal(await ask('00000000-0000-4000-8000-000000000000'), 400, 'with none left it would be everything')
    t.equal(await ask('no id'), 400)
    t.strictSame(await chosen(), [])
    t.equal(await ask(mail.id, mail.id), 200)
    t.strictSame(await chosen(), [[mail.id]])
    await mailTick(plane.app)
    t.match(box.mails[0]?.text, 'Only some services: Mail & more')
    t.equal(await ask(), 200)
    t.strictSame(await chosen(), [[]], 'the last wish of who has not confirmed')
    await plane.app.db.execute((k) => k.updateTable('status_page_subscriptions').set({ status: 'VERIFIED' }))
    t.equal(await ask(mail.id), 200)
    t.strictSame(await chosen(), [[]], 'strangers change nothing of who has')
  },
)

eachEngine('a frame is for the sites that the owner names', async (t, plane) => {
  const { pageId } = await shownPage(plane)
  const policy = async (path: string) =>
    (await look(plane, path)).headers.get('content-security-policy') ?? ''
  t.match(await policy('/embed'), /frame-ancestors 'none'/)
  await publish(plane, pageId, { frameAncestors: ['https://www.acme.example'] })
  plane.advance(1500)
  t.match(await policy('/embed'), /frame-ancestors https:\/\/www\.acme\.example/)
  t.match(await policy(''), /frame-ancestors 'none'/)
  t.equal(
    (await publish(plane, pageId, { frameAncestors: ["https://x; script-src 'unsafe-inline'"] })).status,
    400,
  )
})

eachEngine(
  'colours that nobody could read are taken with a warning that names the pair',
  async (t, plane) => {
    const palette = (text: string, back: string) =>
      Object.fromEntries(colorNames.map((name) => [name, /Background/.test(name) ? back : text]))
    const themed = (light: object) =>
      plane.call('POST', '/v1/status-pages', {
        body: { name: 'Acme', url: 'acme', cards: [], themeColors: { light, dark: palette('#fff', '#000') } },
      })
    const pale = await themed({ ...palette('#000', '#fff'), bodyFontColorMuted: '#999999' })
    t.equal(pale.status, 201)
    t.equal(pale.body.warnings.length, 2)
    t.match(JSON.stringify(pale.body.warnings), /bodyFontColorMuted.*2\.84:1/)
    await plane.call('DELETE', `/v1/status-pages/${pale.body.id}`)
    const clear = await themed(palette('#012345', '#fafafa'))
    t.equal(clear.status, 201)
    t.equal(clear.body.warnings, undefined)
    const style = await (await look(plane)).text()
    t.match(style, /--text:#012345/)
    t.equal(contrast('#000', '#ffffff'), 21)
  },
)

eachEngine('streams tell of changes, and are few from one address', async (t, plane) => {
  const { services } = await shownPage(plane, { isQuiet: true })
  const stopped = new AbortController()
  t.teardown(() => stopped.abort())
  const listen = (headers: Record<string, string> = {}) =>
    fetch(`${plane.url}/status/acme/events`, { headers, signal: stopped.signal })
  const answer = await listen()
  t.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const heard = { text: '' }
  const reading = (async () => {
    for await (const chunk of answer.body ?? []) heard.text += Buffer.from(chunk).toString()
  })().catch(() => undefined)
  await until('the version', () => /id: (\S+)/.test(heard.text))
  t.notMatch(heard.text, /event: change/)
  const [, seen = ''] = /id: (\S+)/.exec(heard.text) ?? []
  const story = { name: 'It burns', severity: 'MAJOR', services, daysAgo: 0, hours: null, texts: ['Smoke.'] }
  await tell(plane, story)
  plane.advance(1500)
  await liveTick(plane.app)
  await until('the change', () => /event: change/.test(heard.text))
  const late = await listen({ 'last-event-id': seen })
  const first = await late.body?.getReader().read()
  t.match(Buffer.from(first?.value ?? []).toString(), /event: change/, 'what was missed is told')
  for (let more = openStreams(plane.app); more < maxOfAddress; more += 1)
    t.equal((await listen()).status, 200)
  const refused = await listen()
  t.equal(refused.status, 503)
  t.equal(refused.headers.get('retry-after'), '60')
  plane.advance(16 * 60_000)
  await liveTick(plane.app)
  t.equal(openStreams(plane.app), 0, 'none is open for ever')
  await reading
})
