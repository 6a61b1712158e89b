// Runs on both engines in test:all: its statements run in no other file.
import t, { type Test } from 'tap'
import { announcementTick } from '../../../../control-plane/communication/announcements/announcement-tick.ts'
import { settleMs } from '../../../../control-plane/communication/status-page-subscriptions/announce.ts'
import { findSubscriptionById } from '../../../../control-plane/communication/status-page-subscriptions/queries.ts'
import { unsubscribeUrl } from '../../../../control-plane/communication/status-page-subscriptions/subscription-link.ts'
import { savePublication } from '../../../../control-plane/communication/status-pages/publication-queries.ts'
import { publicationDoc } from '../../../../control-plane/communication/stored-pages/publication-doc.ts'
import { languages } from '../../../../control-plane/communication/stored-pages/words/languages.ts'
import { mailTick, oldMailsTick } from '../../../../control-plane/platform/services/mail/mail-tick.ts'
import { eachEngine, type TestApp, testApp } from '../../../support/app.ts'
import { headerOf, type Mailbox, withMailbox } from '../../../support/mailbox.ts'
import { makePage, subscribeVerified } from '../../../support/status-page.ts'

const incidents = '/v1/status-pages/incidents'

const eachWithMailbox = (
  name: string,
  body: (t: Test, plane: TestApp, box: Mailbox) => Promise<void>,
): void => {
  eachEngine(name, async (t, plane) => {
    await body(t, plane, await withMailbox(t, plane))
  })
}

/** What is announced is settled, made into mails and sent. */
const deliver = async (plane: TestApp): Promise<void> => {
  plane.advance(settleMs)
  await announcementTick(plane.app)
  await mailTick(plane.app)
}

/** The path behind a link of a mail's text. */
const linkIn = (plane: TestApp, text: string | undefined, action: string): string => {
  const url = new RegExp(`http\\S+/${action}`).exec(text ?? '')?.[0] ?? ''
  return url.slice(plane.app.config.baseUrl.length)
}

const openIncident = (plane: TestApp, serviceId: string, more: object = {}) =>
  plane.call('POST', incidents, {
    body: {
      name: 'Payments are down',
      severity: 'MAJOR',
      services: [{ id: serviceId }],
      incidentUpdates: [{ description: 'We <b>look</b> into it.', notifySubscribers: true }],
      ...more,
    },
  })

eachWithMailbox('who subscribes is asked, and is mailed only after verifying', async (t, plane, box) => {
  const { serviceId } = await makePage(plane)
  const asked = await plane.call('POST', '/v1/public/status-pages/ACME/subscriptions', {
    key: null,
    body: { address: 'Ada@Example.com' },
  })
  t.match(asked, { status: 202, body: { status: 'PENDING' } })
  await mailTick(plane.app)
  t.equal(box.mails.length, 1)
  t.match(box.mails[0], {
    subject: 'Confirm your subscription to Acme status',
    to: [{ address: 'Ada@example.com' }],
    from: { address: 'watchpost@example.com' },
  })
  await openIncident(plane, serviceId)
  await deliver(plane)
  t.equal(box.mails.length, 1, 'a pending address gets no news')

  const path = linkIn(plane, box.mails[0]?.text, 'verify')
  t.ok(box.mails[0]?.html?.includes(path), 'the HTML has the same link')
  const shown = await plane.call('GET', path, { key: null })
  t.match(shown, { status: 200, text: /<form method="post">/ })
  t.match(shown.headers.get('content-security-policy'), /default-src 'none'/)
  await openIncident(plane, serviceId)
  await deliver(plane)
  t.equal(box.mails.length, 1, 'opening the link, as scanners do, verifies nobody')
  t.match(await plane.call('POST', path, { key: null }), { status: 200, text: /You are subscribed/ })
  await openIncident(plane, serviceId)
  await deliver(plane)
  t.equal(box.mails.length, 2)
  t.match(box.mails[1]?.subject, '[Acme status] Investigating: Payments are down')
})

eachWithMailbox(
  'a mail tells the update as text and HTML and can be unsubscribed in one click',
  async (t, plane, box) => {
    const { pageId, serviceId } = await makePage(plane)
    await subscribeVerified(plane, pageId, ['ada@example.com', 'bob@example.com'])
    await openIncident(plane, serviceId)
    await deliver(plane)
    t.equal(box.mails.length, 2)
    const [mail] = box.mails
    t.match(mail?.text, /Payments are down.*Severity: Major.*Affected: Shop.*We <b>look<\/b> into it\./s)
    t.match(mail?.html, /We &lt;b&gt;look&lt;\/b&gt; into it\./)
    t.match(mail?.text, `${plane.app.config.baseUrl}/status/acme`)
    t.equal(headerOf(mail, 'list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
    const url = headerOf(mail, 'list-unsubscribe')?.slice(1, -1) ?? ''
    const path = url.slice(plane.app.config.baseUrl.length)
    t.equal(linkIn(plane, mail?.text, 'unsubscribe'), path)
    t.match(await plane.call('GET', path, { key: null }), { status: 200, text: /Unsubscribe<\/button>/ })
    const click = {
      key: null,
      raw: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }
    t.match(await plane.call('POST', path, click), { status: 200, text: /not subscribed/ })
    t.match(await plane.call('POST', path, click), { status: 200 }, 'repeating it is harmless')
    await openIncident(plane, serviceId)
    await deliver(plane)
    t.equal(box.mails.length, 3, 'only the other address is mailed')
    t.not(box.mails[2]?.to?.[0]?.address, mail?.to?.[0]?.address)
  },
)

for (const { lang, mail, link } of languages)
  t.test(`what the links of a mail lead to is in its language: ${lang}`, async (t) => {
    const plane = await testApp(t)
    const box = await withMailbox(t, plane)
    await makePage(plane)
    await plane.call('POST', '/v1/public/status-pages/acme/subscriptions', {
      key: null,
      body: { address: 'ada@example.com', language: lang },
    })
    await mailTick(plane.app)
    const verify = linkIn(plane, box.mails[0]?.text, 'verify')
    // Whatever the browser speaks: it is the language that was asked for.
    const look = async (method: string, path: string, accept = 'en') => {
      const headers = { accept: 'text/html', 'accept-language': accept }
      const { text } = await plane.call(method, path, { key: null, headers })
      t.match(text, `<html lang="${lang}"`)
      return text
    }
    t.match(await look('GET', verify), `<button>${mail.confirm}</button>`)
    const confirmed = await look('POST', verify)
    t.match(confirmed, link.confirmed)
    t.match(confirmed, link.confirmedText)
    const row = await plane.app.db.get(findSubscriptionById, { id: verify.split('/')[2] ?? '' })
    const unsubscribe =
      (await unsubscribeUrl(plane.app, row?.id ?? ''))?.slice(plane.app.config.baseUrl.length) ?? ''
    t.match(await look('GET', unsubscribe), `<button>${mail.unsubscribe}</button>`)
    t.match(await look('POST', unsubscribe), link.ended)
    t.match(await look('POST', verify, lang), link.invalid, 'of what is over only the browser is known')
    t.match(await look('GET', unsubscribe, lang), link.endedText)
  })

eachWithMailbox('a link with another token does nothing', async (t, plane, box) => {
  const { pageId } = await makePage(plane)
  await plane.call('POST', `/v1/status-pages/${pageId}/subscriptions/bulk`, {
    body: { subscriptions: [{ type: 'EMAIL', config: { address: 'ada@example.com' } }] },
  })
  await mailTick(plane.app)
  const path = linkIn(plane, box.mails[0]?.text, 'verify')
  const other = path.replace(/\/[\w-]{32}\//, `/${'A'.repeat(32)}/`)
  t.not(other, path)
  t.match(await plane.call('POST', other, { key: null }), { status: 410, body: { statusCode: 410 } })
  const browser = { key: null, headers: { accept: 'text/html' } }
  t.match(await plane.call('GET', other, browser), {
    status: 410,
    text: /<h1>This link is no longer valid<\/h1>/,
  })
  await plane.call('POST', other.replace('verify', 'unsubscribe'), { key: null })
  const { body } = await plane.call('GET', `/v1/status-pages/${pageId}/subscriptions`)
  t.match(body, [{ address: 'ada@example.com', status: 'PENDING' }])
})

eachWithMailbox('a link does what it says, and its token nothing else', async (t, plane, box) => {
  const { pageId } = await makePage(plane)
  await plane.call('POST', `/v1/status-pages/${pageId}/subscriptions/bulk`, {
    body: { subscriptions: [{ type: 'EMAIL', config: { address: 'ada@example.com' } }] },
  })
  await mailTick(plane.app)
  const statusOf = async () =>
    (await plane.call('GET', `/v1/status-pages/${pageId}/subscriptions`)).body.map(
      ({ status }: { status: string }) => status,
    )
  const verify = linkIn(plane, box.mails[0]?.text, 'verify')
  const end = linkIn(plane, box.mails[0]?.text, 'unsubscribe')
  t.not(end.split('/')[3], verify.split('/')[3])
  await plane.call('POST', verify.replace('/verify', '/unsubscribe'), { key: null })
  t.strictSame(await statusOf(), ['PENDING'], 'who confirms ends nothing')
  t.equal((await plane.call('POST', end.replace('/unsubscribe', '/verify'), { key: null })).status, 410)
  t.strictSame(await statusOf(), ['PENDING'], 'who ends confirms nothing')
  await plane.call('POST', verify, { key: null })
  t.strictSame(await statusOf(), ['VERIFIED'])
  await plane.call('POST', end, { key: null })
  t.strictSame(await statusOf(), [])
})

eachWithMailbox('updates in quick succession are one mail, corrections none', async (t, plane, box) => {
  const { pageId, serviceId } = await makePage(plane)
  await subscribeVerified(plane, pageId, ['ada@example.com'])
  const { body } = await openIncident(plane, serviceId)
  const updates = `${incidents}/${body.id}/incident-updates`
  plane.advance(1000)
  await plane.call('POST', updates, {
    body: { description: 'Found it.', status: 'IDENTIFIED', notifySubscribers: true },
  })
  await plane.call('POST', updates, { body: { description: 'An aside.' } })
  await deliver(plane)
  t.equal(box.mails.length, 1)
  t.match(box.mails[0]?.text, /Identified, .*Found it\..*Investigating, /s)
  t.notMatch(box.mails[0]?.text, 'An aside.')
  await plane.call('PUT', `${updates}/${body.incidentUpdates[0].id}`, {
    body: { description: 'Corrected', notifySubscribers: true },
  })
  await deliver(plane)
  t.equal(box.mails.length, 1)
  await plane.call('POST', updates, {
    body: { description: 'All good.', status: 'RESOLVED', notifySubscribers: true },
  })
  await deliver(plane)
  t.equal(box.mails.length, 2)
  t.match(box.mails[1]?.subject, 'Resolved: Payments are down')
  t.notMatch(box.mails[1]?.text, 'Found it.')
})

eachWithMailbox('an address on two pages that show the incident gets one mail', async (t, plane, box) => {
  const { pageId, serviceId } = await makePage(plane)
  const second = await plane.call('POST', '/v1/status-pages', {
    body: { name: 'Other', url: 'other', cards: [{ name: 'All', services: [{ id: serviceId }] }] },
  })
  await subscribeVerified(plane, pageId, ['ada@example.com'])
  await subscribeVerified(plane, second.body.id, ['ADA@example.com', 'bob@example.com'])
  await openIncident(plane, serviceId)
  await deliver(plane)
  t.strictSame(box.mails.map((mail) => mail.to?.[0]?.address?.toLowerCase()).sort(), [
    'ada@example.com',
    'bob@example.com',
  ])
})

eachWithMailbox('nobody is bombed with verification mails', async (t, plane, box) => {
  await makePage(plane)
  await makePage(plane, { url: 'second', name: 'Second' })
  const ask = (url: string) =>
    plane.call('POST', `/v1/public/status-pages/${url}/subscriptions`, {
      key: null,
      body: { address: 'ada@example.com' },
    })
  for (const url of ['acme', 'acme', 'second', 'second']) t.equal((await ask(url)).status, 202)
  await mailTick(plane.app)
  t.equal(box.mails.length, 1, 'one mail an hour for an address')
  plane.advance(3_600_000)
  await mailTick(plane.app)
  t.equal(box.mails.length, 2, 'the other page asks an hour later')
  plane.advance(3_600_000)
  await ask('acme')
  await mailTick(plane.app)
  t.equal(box.mails.length, 3, 'asked again after the hour')
  t.equal((await ask('nowhere')).status, 404)
})

eachWithMailbox('a flapping incident does not flood its subscribers', async (t, plane, box) => {
  const { pageId, serviceId } = await makePage(plane)
  await subscribeVerified(plane, pageId, ['ada@example.com'])
  for (let n = 0; n < 25; n++) {
    await openIncident(plane, serviceId, { name: `Down ${n}` })
    await deliver(plane)
  }
  t.equal(box.mails.length, 20)
  plane.advance(3_600_000)
  await openIncident(plane, serviceId)
  await deliver(plane)
  t.equal(box.mails.length, 21)
})

eachWithMailbox(
  'a mail server that refuses is tried again under the same id, and given up at the end',
  async (t, plane, box) => {
    const { pageId, serviceId } = await makePage(plane)
    await subscribeVerified(plane, pageId, ['ada@example.com'])
    box.refuse(451)
    await openIncident(plane, serviceId)
    await deliver(plane)
    const rows = () => plane.app.db.select((k) => k.selectFrom('mails').selectAll())
    t.match(await rows(), [{ status: 'WAITING', attempts: 1, error: /451/ }])
    await mailTick(plane.app)
    t.match(await rows(), [{ attempts: 1 }], 'not before its wait is over')
    plane.advance(60_000)
    box.refuse(null)
    await mailTick(plane.app)
    t.match(await rows(), [{ status: 'SUCCESS', attempts: 2, error: null }])
    t.match(headerOf(box.mails[0], 'message-id'), (await rows())[0]?.content_id)
    box.refuse(550)
    await openIncident(plane, serviceId)
    await deliver(plane)
    t.match(
      (await rows()).filter(({ status }) => status === 'FAILURE'),
      [{ attempts: 1, error: /550/ }],
    )
  },
)

eachWithMailbox('several control planes send each mail once', async (t, plane, box) => {
  const { pageId, serviceId } = await makePage(plane)
  const addresses = Array.from({ length: 30 }, (_, n) => `person${n}@example.com`)
  await subscribeVerified(plane, pageId, addresses)
  await openIncident(plane, serviceId)
  plane.advance(settleMs)
  await Promise.all([announcementTick(plane.app), announcementTick(plane.app)])
  await Promise.all([mailTick(plane.app), mailTick(plane.app)])
  t.strictSame(box.mails.map((mail) => mail.to?.[0]?.address).sort(), [...addresses].sort())
})

t.test('without SMTP_URL mails fail with a reason that names it, and the log says so', async (t) => {
  const plane = await testApp(t)
  const { pageId, serviceId } = await makePage(plane)
  await subscribeVerified(plane, pageId, ['ada@example.com', 'bob@example.com'])
  await openIncident(plane, serviceId)
  await deliver(plane)
  const rows = await plane.app.db.select((k) => k.selectFrom('mails').selectAll())
  t.match(rows, [
    { status: 'FAILURE', error: /SMTP_URL/ },
    { status: 'FAILURE', error: /SMTP_URL/ },
  ])
  t.equal(plane.logged.filter(({ msg }) => /SMTP_URL/.test(String(msg))).length, 1)
})

eachWithMailbox('mails are forgotten after thirty days, with what they said', async (t, plane, box) => {
  const { pageId, serviceId } = await makePage(plane)
  await subscribeVerified(plane, pageId, ['ada@example.com'])
  await openIncident(plane, serviceId)
  await deliver(plane)
  t.equal(box.mails.length, 1)
  const count = async () => [
    (await plane.app.db.select((k) => k.selectFrom('mails').select('id'))).length,
    (await plane.app.db.select((k) => k.selectFrom('mail_contents').select('id'))).length,
  ]
  await oldMailsTick(plane.app)
  t.strictSame(await count(), [1, 1])
  plane.advance(31 * 86_400_000)
  await oldMailsTick(plane.app)
  t.strictSame(await count(), [0, 0])
})

eachWithMailbox('a private page takes no strangers', async (t, plane) => {
  await makePage(plane, { isPrivate: true })
  const { status } = await plane.call('POST', '/v1/public/status-pages/acme/subscriptions', {
    key: null,
    body: { address: 'ada@example.com' },
  })
  t.equal(status, 404)
})

eachWithMailbox('a mail leads to the own domain of a page once that is proven', async (t, plane, box) => {
  const domain = 'status.acme.example'
  const { pageId, serviceId } = await makePage(plane, { customDomain: domain })
  await subscribeVerified(plane, pageId, ['ada@example.com'])
  await openIncident(plane, serviceId)
  await deliver(plane)
  t.notMatch(box.mails[0]?.text, domain, 'it would show nothing')
  t.match(box.mails[0]?.text, `${plane.app.config.baseUrl}/status/acme`)
  const now = plane.app.clock.now()
  await plane.app.db.run(savePublication, {
    ...{ status_page_id: pageId, account_id: plane.accountId, domain, domain_seen_at: now },
    ...{ domain_checked_at: now, password_hash: null, updated_at: now },
    doc: publicationDoc.write({ frameAncestors: [], allowedNetworks: [], languages: [] }),
  })
  await openIncident(plane, serviceId, { name: 'Search is down' })
  await deliver(plane)
  t.match(box.mails[1]?.text, `https://${domain}/`)
})

eachWithMailbox('mails are in the default language of their page', async (t, plane, box) => {
  const { pageId, serviceId } = await makePage(plane)
  await plane.call('PUT', `/v1/status-pages/${pageId}/publication`, { body: { languages: ['ru', 'en'] } })
  await plane.call('POST', '/v1/public/status-pages/acme/subscriptions', {
    key: null,
    body: { address: 'bob@example.com' },
  })
  await subscribeVerified(plane, pageId, ['ada@example.com'])
  await openIncident(plane, serviceId, { name: 'Search is down' })
  await deliver(plane)
  const texts = box.mails.map(({ text }) => text ?? '')
  t.ok(texts.some((text) => text.includes('Подтвердить подписку')))
  t.ok(texts.some((text) => text.includes('Search is down') && text.includes('Серьёзность:')))
})
