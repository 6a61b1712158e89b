// Runs in test:all only: it opens dozens of pages in a browser.
/** Every page that is neither the dashboard nor a status page, as axe sees it: in both schemes, wide and narrow, with less motion. */
import t, { type Test } from 'tap'
import { newLinkToken, storeLink } from '../../../control-plane/access/sign-in/links.ts'
import { alertToken } from '../../../control-plane/alerting/messages/alert-link.ts'
import { resultLink } from '../../../control-plane/alerting/messages/result-link.ts'
import { unsubscribeUrl } from '../../../control-plane/communication/status-page-subscriptions/subscription-link.ts'
import { errorPage } from '../../../control-plane/platform/web/html/error-page.ts'
import { type AlertRoom, alertRoom } from '../../support/alert-room.ts'
import { looks, motionOf, overflowOf, violationsOf } from '../../support/axe.ts'
import { signedIn } from '../../support/dashboard.ts'
import { addPerson } from '../../support/members.ts'
import { type BrowserPage, noChromium, openBrowser } from '../../support/result-browser.ts'
import { httpServer } from '../../support/servers.ts'
import { makePage, subscribeVerified } from '../../support/status-page.ts'

const dayMs = 86_400_000

const looksWell = async (t: Test, page: BrowserPage, name: string): Promise<void> => {
  t.strictSame(await violationsOf(page), [], name)
  t.equal(await overflowOf(page), 0, `${name} fits`)
  if (await page.evaluate<boolean>('matchMedia("(prefers-reduced-motion: reduce)").matches'))
    t.strictSame(await motionOf(page), [], `${name} stands still`)
}

const linkFor = async ({ app }: AlertRoom, userId: string): Promise<string> => {
  const token = newLinkToken(app)
  const link = { userId, purpose: 'OPERATOR', now: app.clock.now(), token } as const
  await app.db.transaction((trx) => storeLink(trx, link))
  return `/sign-in/first/${token}`
}

const subscriptionPath = async (room: AlertRoom): Promise<string> => {
  const { pageId } = await makePage(room)
  await subscribeVerified(room, pageId, ['grace@example.com'])
  const [row] = await room.app.db.select((k) => k.selectFrom('status_page_subscriptions').select('id'))
  return new URL((await unsubscribeUrl(room.app, row?.id ?? '')) ?? '').pathname
}

t.test('pages that anybody opens', { skip: noChromium }, async (t) => {
  const room = await alertRoom(t, 'sqlite')
  const { app, url, call, addCheck, run } = room
  const checkId = await addCheck({ name: 'Shop' })
  await run('pdf')
  const [{ id: alertId }] = (await call('GET', `/v1/check-alerts/${checkId}`)).body
  const expiresAt = app.clock.now() + dayMs
  const { userId } = await addPerson(room, { email: 'ada@example.com', name: 'Ada', role: 'OWNER' })
  const unsubscribe = await subscriptionPath(room)
  const gone = unsubscribe.replace(/[\w-]{32}\/unsubscribe$/, `${'x'.repeat(32)}/`)
  const paths = [
    ...['/', '/sign-in', '/sign-in/forgotten', await linkFor(room, userId), '/sign-in/first/nothing'],
    ...['/docs', '/docs/checks', '/docs/check-alerts', '/docs/schemas/AlertChannel', '/nowhere'],
    `/alerts/${alertToken(app, { alertId, channelId: 0, expiresAt })}`,
    '/alerts/nothing',
    new URL(resultLink(app, { checkId, resultId: null, expiresAt })).pathname,
    ...[unsubscribe, unsubscribe.replace('unsubscribe', 'verify'), `${gone}unsubscribe`, `${gone}verify`],
  ]
  const browser = await openBrowser(t)
  for (const look of looks) {
    const context = await browser.newContext(look)
    const page = await context.newPage()
    for (const path of paths) {
      await page.goto(`${url}${path}`)
      await looksWell(t, page, `${path}, ${look.colorScheme} ${look.viewport.width}`)
    }
    await page.goto(`${url}/sign-in`)
    await page.fill('#email', 'ada@example.com')
    await page.fill('#password', 'a wrong password')
    await page.click('button')
    await page.locator('[role=alert]').waitFor()
    await looksWell(t, page, `a wrong password, ${look.colorScheme} ${look.viewport.width}`)
    await context.close()
  }
})

t.test('pages of whoever is signed in, beside the dashboard', { skip: noChromium }, async (t) => {
  const room = await alertRoom(t, 'sqlite')
  await room.addCheck({ name: 'Shop' })
  await room.run('pf')
  const browser = await openBrowser(t)
  for (const look of looks) {
    const page = await (await signedIn(t, browser, { plane: room, options: look })).newPage()
    for (const path of ['/', '/app/profile', '/app/sessions', '/app/audit']) {
      await page.goto(`${room.url}${path}`)
      await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
      await looksWell(t, page, `${path}, ${look.colorScheme} ${look.viewport.width}`)
    }
  }
})

t.test('errors', { skip: noChromium }, async (t) => {
  const statuses = [401, 403, 404, 405, 429, 500, 503]
  const { origin } = await httpServer(t, (request, response) => {
    const statusCode = Number(request.url?.slice(1))
    const problem = { statusCode, error: 'Error', message: `What is wrong with ${'x'.repeat(200)}` }
    const { text, headers } = errorPage(problem)
    response.writeHead(statusCode, headers).end(text)
  })
  const browser = await openBrowser(t)
  for (const look of looks) {
    const page = await (await browser.newContext(look)).newPage()
    for (const status of statuses) {
      await page.goto(`${origin}/${status}`)
      await looksWell(t, page, `${status}, ${look.colorScheme} ${look.viewport.width}`)
    }
  }
})
