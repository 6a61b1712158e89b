// Runs on both engines in test:all: its statements run in no other file.
/** What an owner says in several languages: visitors, feeds and subscribers are told in theirs, and in the text itself where there is none. */
import type { Test } from 'tap'
import { announcementTick } from '../../../../control-plane/communication/announcements/announcement-tick.ts'
import { settleMs } from '../../../../control-plane/communication/status-page-subscriptions/announce.ts'
import { mailTick } from '../../../../control-plane/platform/services/mail/mail-tick.ts'
import { eachEngine, type TestApp } from '../../../support/app.ts'
import { withMailbox } from '../../../support/mailbox.ts'

const made = async (plane: TestApp, path: string, body: object) => {
  const answer = await plane.call('POST', path, { body })
  if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`)
  return answer.body
}

const incidents = '/v1/status-pages/incidents'
const hourMs = 3_600_000

/** Offered in English, German and Persian; the German texts are all there, of the Persian ones a few. */
const toldPage = async (plane: TestApp) => {
  const service = await made(plane, '/v1/status-pages/services', {
    name: 'Checkout',
    translations: { de: { name: 'Kasse' }, fa: { name: 'پرداخت' } },
  })
  const page = await made(plane, '/v1/status-pages', {
    name: 'Acme status',
    url: 'acme',
    description: 'Shop and payments.',
    translations: { de: { name: 'Acme-Status', description: 'Laden und Zahlungen.' } },
    cards: [{ name: 'Shop', translations: { de: { name: 'Laden' } }, services: [{ id: service.id }] }],
  })
  await plane.call('PUT', `/v1/status-pages/${page.id}/publication`, {
    body: { languages: ['en', 'de', 'fa'] },
  })
  const incident = await made(plane, incidents, {
    name: 'Payments fail',
    translations: { de: { name: 'Zahlungen schlagen fehl' }, fa: { name: 'پرداخت‌ها ناموفق‌اند' } },
    severity: 'MAJOR',
    services: [{ id: service.id }],
    incidentUpdates: [
      {
        description: 'We look into it.',
        translations: { de: { description: 'Wir sehen es uns an.' } },
        notifySubscribers: true,
      },
    ],
  })
  const now = plane.app.clock.now()
  const window = await made(plane, '/v1/maintenance-windows', {
    name: 'Database upgrade',
    description: 'Reports may be late.',
    translations: { de: { name: 'Umzug der Datenbank', description: 'Berichte können später kommen.' } },
    startsAt: new Date(now + 24 * hourMs).toISOString(),
    endsAt: new Date(now + 26 * hourMs).toISOString(),
    statusPageVisibility: { enabled: true, statusPageIds: [page.id], serviceIds: [service.id] },
  })
  return { page, service, incident, window }
}

const ask = async (plane: TestApp, path: string, lang: string): Promise<string> => {
  const headers = { 'accept-language': lang }
  return (await fetch(`${plane.url}/status/acme${path}`, { headers })).text()
}

const has = (t: Test, text: string, wanted: readonly string[], what: string): void => {
  for (const each of wanted) t.ok(text.includes(each), `${what}: ${each}`)
}

eachEngine('visitors and feeds are told in the language they ask for', async (t, plane) => {
  const { incident, window } = await toldPage(plane)
  const [maintenance] = (await plane.call('GET', `/v1/maintenance-windows/${window.id}/maintenances`)).body
  t.notOk('warnings' in incident, 'a page shows it')
  const german = ['Acme-Status', 'Laden und Zahlungen.', '>Laden<', 'Kasse', 'Zahlungen schlagen fehl']
  const page = await ask(plane, '', 'de')
  has(t, page, [...german, 'Wir sehen es uns an.', 'Umzug der Datenbank', 'Berichte können später'], 'page')
  for (const english of ['Checkout', 'Payments fail', 'Database upgrade', '>Shop<'])
    t.notOk(page.includes(english), english)
  const english = await ask(plane, '', 'en')
  has(t, english, ['Acme status', '>Shop<', 'Checkout', 'We look into it.', 'Database upgrade'], 'english')
  t.notMatch(english, /Kasse|Laden/)
  const persian = await ask(plane, '', 'fa')
  has(t, persian, ['Acme status', '>Shop<', 'پرداخت', 'پرداخت‌ها ناموفق‌اند', 'We look into it.'], 'falls back')
  const incidentPage = await ask(plane, `/incidents/${incident.id}`, 'de')
  has(t, incidentPage, ['Zahlungen schlagen fehl', 'Wir sehen es uns an.', 'Kasse'], 'incident')
  has(
    t,
    await ask(plane, `/maintenance/${maintenance.id}`, 'de'),
    ['Umzug der Datenbank', 'Kasse'],
    'maintenance',
  )
  for (const feed of ['/feed.atom', '/feed.rss', '/feed.json'])
    has(
      t,
      await ask(plane, feed, 'de'),
      ['Acme-Status', 'Zahlungen schlagen fehl', 'Wir sehen es uns an.'],
      feed,
    )
  has(
    t,
    await ask(plane, '/maintenance.ics', 'de'),
    ['SUMMARY:Umzug der Datenbank', 'Acme-Status'],
    'calendar',
  )
  has(t, await ask(plane, '/feed.atom?lang=de', 'en'), ['Acme-Status', '/feed.atom?lang=de'], 'chosen')
  const json = JSON.parse(await ask(plane, '/api/status.json', 'de'))
  t.match(json, { page: { name: 'Acme-Status' }, components: [{ name: 'Kasse', group: 'Laden' }] })
  t.match(json.incidents, [{ name: 'Zahlungen schlagen fehl', components: [{ name: 'Kasse' }] }])
  t.match(page, /href="\/status\/acme\/feed\.atom\?lang=de"/)
  await plane.call('PUT', `${incidents}/${incident.id}`, { body: { translations: {} } })
  plane.advance(1500)
  has(t, await ask(plane, '', 'de'), ['Payments fail', 'Wir sehen es uns an.'], 'taken back')
})

eachEngine('subscribers are mailed in their language, and else in that of the page', async (t, plane) => {
  const box = await withMailbox(t, plane)
  const deliver = async (): Promise<void> => {
    plane.advance(settleMs)
    await announcementTick(plane.app)
    await mailTick(plane.app)
  }
  const { page, service, incident } = await toldPage(plane)
  await deliver()
  t.strictSame(box.mails, [], 'nobody')
  const subscribers = [
    { type: 'EMAIL', config: { address: 'de@example.com' }, language: 'de' },
    { type: 'EMAIL', config: { address: 'fr@example.com' }, language: 'fr' },
    { type: 'EMAIL', config: { address: 'any@example.com' } },
  ]
  const path = `/v1/status-pages/${page.id}/subscriptions`
  await made(plane, `${path}/bulk`, { subscriptions: subscribers, autoVerify: true })
  t.match((await plane.call('GET', path)).body, [{ language: 'de' }, { language: 'fr' }, { language: null }])
  await made(plane, `${incidents}/${incident.id}/incident-updates`, {
    description: 'It is over.',
    translations: { de: { description: 'Es ist vorbei.' } },
    status: 'RESOLVED',
    notifySubscribers: true,
  })
  await deliver()
  const to = (address: string) => box.mails.find((mail) => mail.to?.[0]?.address === address)
  t.equal(box.mails.length, 3)
  t.equal(to('de@example.com')?.subject, '[Acme-Status] Behoben: Zahlungen schlagen fehl')
  has(t, to('de@example.com')?.text ?? '', ['Es ist vorbei.', 'Kasse'], 'german')
  for (const address of ['fr@example.com', 'any@example.com']) {
    t.equal(to(address)?.subject, '[Acme status] Resolved: Payments fail', address)
    has(t, to(address)?.text ?? '', ['It is over.', 'Checkout'], address)
  }
  const asked = await fetch(`${plane.url}/status/acme/subscribe`, {
    method: 'POST',
    headers: {
      'accept-language': 'de',
      'content-type': 'application/x-www-form-urlencoded',
      origin: plane.url,
    },
    body: 'address=ada%40example.com',
  })
  t.equal(asked.status, 200)
  await mailTick(plane.app)
  t.match(to('ada@example.com')?.subject, /Acme-Status/)
  t.match((await plane.call('GET', path)).body.at(-1), { address: 'ada@example.com', language: 'de' })
  const now = plane.app.clock.now()
  const window = await made(plane, '/v1/maintenance-windows', {
    name: 'Move',
    translations: { de: { name: 'Umzug' } },
    startsAt: new Date(now + hourMs).toISOString(),
    endsAt: new Date(now + 2 * hourMs).toISOString(),
    statusPageVisibility: { enabled: true, statusPageIds: [page.id], serviceIds: [service.id] },
  })
  const [maintenance] = (await plane.call('GET', `/v1/maintenance-windows/${window.id}/maintenances`)).body
  const one = `/v1/maintenance-windows/${window.id}/maintenances/${maintenance.id}`
  const update = await made(plane, `${one}/updates`, {
    status: 'SCHEDULED',
    description: 'As planned.',
    translations: { de: { description: 'Wie geplant.' } },
    notifySubscribers: true,
  })
  box.mails.length = 0
  await deliver()
  t.match(to('de@example.com')?.subject, /^\[Acme-Status\] .*Umzug$/)
  has(t, to('de@example.com')?.text ?? '', ['Wie geplant.', 'Kasse'], 'maintenance')
  t.match(to('any@example.com')?.subject, /Move$/)
  const kept = await plane.call('PUT', `${one}/updates/${update.id}`, { body: { description: 'Still so.' } })
  t.match(kept.body.translations, { de: { description: 'Wie geplant.' } }, 'what is not sent stays')
})

eachEngine('cards and services keep translations that are not sent', async (t, plane) => {
  const { page, service } = await toldPage(plane)
  const { body } = await plane.call('GET', `/v1/status-pages/${page.id}`)
  const cards = body.cards.map(({ id, name }: { id: string; name: string }) => ({ id, name }))
  const saved = await plane.call('PUT', `/v1/status-pages/${page.id}`, {
    body: { name: 'Acme', url: 'acme', cards },
  })
  t.match(saved.body, { cards: [{ translations: { de: { name: 'Laden' } } }] })
  t.match(saved.body.translations, { de: { name: 'Acme-Status' } })
  const path = `/v1/status-pages/services/${service.id}`
  const renamed = await plane.call('PUT', path, { body: { name: 'Till' } })
  t.match(renamed.body, { name: 'Till', translations: { de: { name: 'Kasse' } } })
  const replaced = await plane.call('PUT', path, { body: { name: 'Till', translations: {} } })
  t.strictSame(replaced.body.translations, {})
  const unknown = { name: 'Till', translations: { xx: { name: 'x' }, de: { name: '' } } }
  t.equal((await plane.call('PUT', path, { body: unknown })).status, 400)
})
