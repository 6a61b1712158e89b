// Runs in test:all only: it writes every mail in every language.
// Runs on both engines: the language of a reader is joined from users and memberships.
import type { Test } from 'tap'
import { setLanguage } from '../../../../../control-plane/access/credentials/queries.ts'
import { fullStoreTick } from '../../../../../control-plane/access/members/full-store-mail.ts'
import {
  askForLink,
  forgottenPasswordTick,
} from '../../../../../control-plane/access/sign-in/forgotten-password.ts'
import type { AlertEvent } from '../../../../../control-plane/alerting/messages/alert-event.ts'
import { sendDigests } from '../../../../../control-plane/monitoring/watches/late-judging/send-digests.ts'
import { locationProblemsTick } from '../../../../../control-plane/monitoring/watches/location-problems/location-problems-tick.ts'
import { reportStoreError } from '../../../../../control-plane/platform/app/report-store-error.ts'
import { mailTick } from '../../../../../control-plane/platform/services/mail/mail-tick.ts'
import { controlPlaneVersion } from '../../../../../control-plane/platform/settings/config.ts'
import { addChannel, alertEvent, dispatch, queueEvent } from '../../../../support/alerting.ts'
import { urlMonitor } from '../../../../support/api.ts'
import { eachEngine, type TestApp } from '../../../../support/app.ts'
import { markingLocales } from '../../../../support/mail-locales.ts'
import { type Mailbox, withMailbox } from '../../../../support/mailbox.ts'
import { addPerson } from '../../../../support/members.ts'

const address = 'ada@example.com'
/** Of ours, and so it is said in every language. */
const errorMessage = 'The server answered with status 503'
const since = Date.UTC(2026, 0, 1)

const reader = async (t: Test, plane: TestApp, language: string | null): Promise<Mailbox> => {
  const { userId } = await addPerson(plane, { email: address, role: 'OWNER' })
  await plane.app.db.run(setLanguage, { userId, language })
  plane.app.config = { ...plane.app.config, mail: { smtpUrl: 'smtp://127.0.0.1', from: 'w@example.com' } }
  return withMailbox(t, plane)
}

const alerts = {
  failed: {},
  'failing since': { failingSince: since - 720_000, at: since, streak: 12, toldLate: true },
  reminder: { reminder: 2 },
  'comes back': { reminder: 1, comesBack: true },
  answered: {
    response: { until: since, at: since, by: 'Grace', via: 'LINK', of: 'failing' },
    reminder: 1,
  },
  acknowledged: { response: { until: null, at: since, by: 'Grace', via: 'LINK', of: 'failing' } },
  degraded: { alertType: 'ALERT_DEGRADED' },
  'degraded again': { alertType: 'ALERT_DEGRADED_REMAIN', reminder: 1 },
  'degraded comes back': { alertType: 'ALERT_DEGRADED_REMAIN', reminder: 1, comesBack: true },
  'no longer failing': { alertType: 'ALERT_FAILURE_DEGRADED' },
  recovered: { alertType: 'ALERT_RECOVERY', failingSince: since - 720_000, at: since },
  'begins to flap': { alertType: 'ALERT_FAILURE_REMAIN', flapping: 'begins' },
  'flaps no more': { alertType: 'ALERT_RECOVERY', flapping: 'ends' },
  'flaps no more, degraded': { alertType: 'ALERT_DEGRADED_REMAIN', flapping: 'ends' },
  'flaps no more, failing': { alertType: 'ALERT_FAILURE_REMAIN', flapping: 'ends' },
  'certificate over': { alertType: 'ALERT_SSL', ssl: { domain: 'shop.example', daysRemaining: -1 } },
  'certificate today': { alertType: 'ALERT_SSL', ssl: { domain: 'shop.example', daysRemaining: 0 } },
  'certificate soon': { alertType: 'ALERT_SSL', ssl: { domain: 'shop.example', daysRemaining: 1 } },
  certificate: { alertType: 'ALERT_SSL', ssl: { domain: 'shop.example', daysRemaining: 7 } },
} as const satisfies { [name: string]: Partial<AlertEvent> }

const alertMail = (more: Partial<AlertEvent>) => async (plane: TestApp) => {
  const id = await addChannel(plane, 'EMAIL', { address: address.toUpperCase() })
  await queueEvent(plane.app, alertEvent({ accountId: plane.accountId, errorMessage, ...more }), [id])
  await dispatch(plane.app)
}

const queued = (make: (plane: TestApp) => Promise<unknown>) => async (plane: TestApp) => {
  await make(plane)
  await mailTick(plane.app)
}

const absence = async (plane: TestApp) => {
  await plane.call('POST', '/v1/checks/url', { body: urlMonitor('shop', 'http://127.0.0.1/') })
  await locationProblemsTick(controlPlaneVersion)(plane.app)
  plane.advance(20 * 60_000)
  await locationProblemsTick(controlPlaneVersion)(plane.app)
}

const digest = async (plane: TestApp) => {
  await plane.app.db.transaction(async (trx) => {
    for (const [at, level] of ['failing', 'degraded'].entries())
      await trx.execute((k) =>
        k.insertInto('past_outages').values({
          ...{ id: plane.app.newId(), account_id: plane.accountId, check_id: plane.app.newId() },
          ...{ name: 'Home page', level, from_at: since + at, to_at: since + 60_000 },
        }),
      )
  })
  await sendDigests(plane.app)
}

/** Every kind of mail that is not a status page's. */
const kinds: { readonly [kind: string]: (plane: TestApp) => Promise<unknown> } = {
  invite: queued((plane) =>
    plane.call('POST', '/v1/accounts/me/invites', { body: { email: 'new@example.com', role: 'READ_WRITE' } }),
  ),
  password: queued((plane) => {
    askForLink(plane.app, address)
    return forgottenPasswordTick(plane.app)
  }),
  location: queued(absence),
  digest: queued(digest),
  'full store': (plane) => {
    reportStoreError(plane.app)(Object.assign(new Error('full'), { code: 'SQLITE_FULL' }))
    return fullStoreTick(plane.app)
  },
  ...Object.fromEntries(Object.entries(alerts).map(([name, more]) => [`alert: ${name}`, alertMail(more)])),
}

/** Of the customer, of programs, and dates, which the next test looks at. */
const data =
  /Home page|What customers see first|env:prod|team=web|Shop|local|shop\.example|\bshop\b|Service Unavailable|Grace|Watchpost|Test\b|API\b|UTC|\bms\b|\S+@\S+|https?:\/\/\S+|POST|Content-Type: application\/json|\{"token".*\}|\bJan\b|\bDec\b|SQLite/g

const wordsOf = (html: string): string =>
  html
    .replace(/<style>.*?<\/style>/gs, '')
    .replace(/<[^>]*>/g, '\n')
    .replace(/&quot;/g, '"')
    .replace(/&nbsp;/g, ' ')
const left = (text: string): string[] =>
  text
    .replace(/⟦[^⟧]*⟧/g, ' ')
    .replace(data, ' ')
    .match(/\p{L}{2,}/gu) ?? []

for (const [kind, make] of Object.entries(kinds))
  eachEngine(`no English is left in a mail for somebody else: ${kind}`, async (t, plane) => {
    plane.app.locales = markingLocales
    const box = await reader(t, plane, 'en-XA')
    await make(plane)
    const mail = box.mails.at(-1)
    t.match(mail?.subject, /⟦/)
    t.strictSame(left(mail?.subject ?? ''), [])
    t.strictSame(left(mail?.text ?? ''), [])
    t.strictSame(left(wordsOf(mail?.html ?? '')), [])
    t.match(mail?.html, '<html lang="en-XA"')
  })

const expected = {
  de: ['[Fehlerhaft] Check „Home page“ ist fehlgeschlagen', /31\.12\.2025, 23:48 UTC \(12 Minuten\)/],
  es: ['[Con fallos] La comprobación «Home page» ha fallado', /31 dic 2025, 23:48 UTC \(12 minutos\)/],
  fr: ['[En échec] La vérification « Home page » a échoué', /31 déc\. 2025, 23:48 UTC \(12 minutes\)/],
  ja: ['[失敗] チェック「Home page」が失敗しました', /2025\/12\/31 23:48 UTC \(12 分\)/],
  en: ['[Failing] Check "Home page" has failed', /31 Dec 2025, 23:48 UTC \(12 minutes\)/],
} as const

for (const [lang, [subject, since]] of Object.entries(expected))
  eachEngine(`an alert is in the language of who has the address: ${lang}`, async (t, plane) => {
    const box = await reader(t, plane, lang)
    await alertMail(alerts['failing since'])(plane)
    const [mail] = box.mails
    t.equal(mail?.subject, subject)
    t.match(mail?.text, since)
    t.match(mail?.html, since)
    t.match(mail?.html, `<html lang="${lang}"`)
    const stranger = await addChannel(plane, 'EMAIL', { address: 'team@example.com' })
    await queueEvent(plane.app, alertEvent({ accountId: plane.accountId }), [stranger])
    await dispatch(plane.app)
    t.equal(box.mails.at(-1)?.subject, expected.en[0], "nobody's address is written to in English")
  })
