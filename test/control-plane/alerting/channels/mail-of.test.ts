/** Mails of alerts as a mail program gets them, and as a browser shows them: narrow and wide, light and dark. */
import { join } from 'node:path'
import type { Email } from 'postal-mime'
import t, { type Test } from 'tap'
import { mailOf } from '../../../../control-plane/alerting/channels/mail-of.ts'
import type { AlertEvent } from '../../../../control-plane/alerting/messages/alert-event.ts'
import { messageOf } from '../../../../control-plane/alerting/messages/message.ts'
import { createMail } from '../../../../control-plane/platform/services/mail/mail.ts'
import { mailTemplate, withFooter } from '../../../../control-plane/platform/services/mail/mail-template.ts'
import { alertEvent } from '../../../support/alerting.ts'
import { mailbox } from '../../../support/mailbox.ts'
import { noChromium, openBrowser } from '../../../support/result-browser.ts'

const hostile =
  '<img src=x onerror=alert(1)> </title></style><script>alert(2)</script> "&\r\nBcc: eve@example.com'
const at = Date.UTC(2026, 2, 14, 2, 13)
const links = {
  id: '3f1e8f0b-8f0b-4c55-9a3e-2a3d1d2f4b11',
  link: 'https://watchpost.example/results/token',
  answerLink: 'https://watchpost.example/alerts/token',
  cause: { text: 'The server answered 503: it is overloaded.', nextStep: 'Look at the load of the shop.' },
}
const failing: Partial<AlertEvent> = { at, startedAt: at - 1000, failingSince: at - 720_000, streak: 12 }

/** Over a real SMTP server, taken apart by a MIME parser. */
const delivered = async (
  t: Test,
  content: { subject: string; text: string; html: string },
): Promise<Email> => {
  const box = await mailbox(t)
  const mail = createMail({ settings: { smtpUrl: box.url, from: 'Watchpost <alerts@example.com>' } })
  await mail.send({ to: 'ada@example.com', ...content, messageId: 'one@watchpost' })
  const [email] = box.mails
  if (email === undefined) throw new Error('No mail came')
  return email
}

t.test('code is code in HTML and quoted in text', async (t) => {
  const cause = { text: 'Nothing listens (`ss -ltnp`).', nextStep: 'Ask with `curl -v`; `<b>` is text.' }
  const { text, html } = mailOf(messageOf(alertEvent(failing), { ...links, cause }))
  t.match(text, 'Nothing listens ("ss -ltnp").')
  t.match(html, />ss -ltnp<\/code>\)\./)
  t.match(html, />&lt;b&gt;<\/code> is text/)
  t.notMatch(`${text}${html}`, '`')
})

t.test('since when, how often, why, what next, where to answer: in text and in HTML', async (t) => {
  const { subject, text = '', html = '' } = await delivered(t, mailOf(messageOf(alertEvent(failing), links)))
  t.equal(subject, '[Failing] Check "Home page" has failed')
  for (const part of [text, html]) {
    t.match(part, '14 Mar 2026, 02:01 UTC (12 minutes)')
    t.match(part, '12 times')
    t.match(part, 'The server answered 503: it is overloaded.')
    t.match(part, 'Look at the load of the shop.')
    t.match(part, links.link)
    t.match(part, links.answerLink)
    t.notMatch(part, /\d{4}-\d\d-\d\dT/, 'one date format')
  }
  t.match(html, '<title>Check &quot;Home page&quot; has failed</title>')
  t.match(html, 'role="main"')
  t.match(html, 'lang="en"')
})

t.test('a recovery asks for no answer, and says how long it was and who had it', async (t) => {
  const response = { until: null, at, by: 'Ada', via: 'LINK', of: 'failing' } as const
  const event = alertEvent({ ...failing, alertType: 'ALERT_RECOVERY', errorMessage: null, response })
  const { text = '' } = await delivered(t, mailOf(messageOf(event, { ...links, cause: null })))
  t.notMatch(text, links.answerLink)
  t.match(text, /Was not well since: +14 Mar 2026, 02:01 UTC \(12 minutes\)/)
  t.match(text, /Answered: +acknowledged by Ada/)
})

const mails: Record<string, { subject: string; text: string; html: string }> = {
  failure: mailOf(messageOf(alertEvent(failing), links)),
  recovery: mailOf(
    messageOf(alertEvent({ ...failing, alertType: 'ALERT_RECOVERY', errorMessage: null }), links),
  ),
  hostile: mailOf(
    messageOf(
      alertEvent({
        ...failing,
        checkName: hostile,
        errorMessage: hostile.repeat(20),
        checkDescription: hostile,
      }),
      { ...links, cause: { text: hostile, nextStep: hostile } },
    ),
  ),
  incident: withFooter(
    mailTemplate({
      lang: 'en',
      subject: '[Shop] Investigating: Checkout is slow',
      heading: 'Checkout is slow',
      parts: [
        'Severity: major\nAffected: Checkout',
        { title: 'Investigating, 14 Mar 2026, 02:13 UTC', text: hostile },
        { label: 'Open the status page', url: 'https://status.example/' },
      ],
    }),
    ['You subscribed to this page.', { label: 'Unsubscribe', url: 'https://status.example/unsubscribe' }],
  ),
}

t.test(
  'in a browser at 360 and 600 px, in both schemes: nothing overflows, runs or is loaded',
  { skip: noChromium },
  async (t) => {
    const browser = await openBrowser(t)
    const folder = process.env['SCREENSHOTS']
    for (const [name, { subject, html }] of Object.entries(mails)) {
      const { html: parsed = '' } = await delivered(t, { subject, text: 'x', html })
      t.notMatch(subject, /[\r\n]/)
      const context = await browser.newContext()
      const requests: string[] = []
      context.on('request', (request) => requests.push(request.url()))
      const page = await context.newPage()
      await page.goto(`data:text/html;base64,${Buffer.from(parsed).toString('base64')}`)
      for (const width of [360, 600])
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize({ width, height: 900 })
          await page.emulateMedia({ colorScheme })
          const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
          t.ok(wide <= width, `${name} at ${width}: ${wide}`)
          if (folder !== undefined)
            await page.screenshot({
              fullPage: true,
              path: join(folder, `mail-${name}-${width}-${colorScheme}.png`),
            })
        }
      t.equal(await page.evaluate<number>("document.querySelectorAll('script,img').length"), 0)
      t.equal(await page.evaluate<number>("document.querySelectorAll('h1').length"), 1)
      t.strictSame(requests, [], 'nothing is loaded')
      await context.close()
    }
  },
)
