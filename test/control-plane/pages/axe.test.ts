// Runs in test:all only: it opens dozens of pages in a browser.
/** Every page that is neither the dashboard nor a status page, as axe sees it: in both schemes, wide and narrow, with less motion. */
import t, { type Test } from 'tap'
import { newLinkToken, storeLink } from '../../../control-plane/access/sign-in/links.ts'
import { stepCookie } from '../../../control-plane/access/sign-in/step-cookie.ts'
import { alertToken } from '../../../control-plane/alerting/messages/alert-link.ts'
import { resultLink } from '../../../control-plane/alerting/messages/result-link.ts'
import { unsubscribeUrl } from '../../../control-plane/communication/status-page-subscriptions/subscription-link.ts'
import { errorPage } from '../../../control-plane/platform/web/html/error-page.ts'
import { servedRoutes } from '../../../control-plane/routes.ts'
import { type AlertRoom, alertRoom } from '../../support/alert-room.ts'
import { looks, motionOf, overflowOf, violationsOf } from '../../support/axe.ts'
import { signedIn } from '../../support/dashboard.ts'
import { routeAt } from '../../support/every-page.ts'
import { addPerson } from '../../support/members.ts'
import { type BrowserPage, noChromium, openBrowser } from '../../support/result-browser.ts'
import { httpServer } from '../../support/servers.ts'
import { shownPage } from '../../support/shown-page.ts'
import { makePage, subscribeVerified } from '../../support/status-page.ts'

const dayMs = 86_400_000

/** Routes of the pages that were looked at. */
const looked = new Set<string>()

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
      looked.add(routeAt('GET', path)?.path ?? path)
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

/** Not looked at here, and not claimed to be. */
const elsewhere = new Map([
  ['/accounts/:accountId/test-sessions/:testSessionId', 'leads on to the dashboard'],
  ['/accounts/:accountId/test-sessions/:testSessionId/results/:resultId', 'leads on to the dashboard'],
  ['/dashboards/:url', 'looked at in test/control-plane/pages/boards/boards-browser.test.ts'],
  ['/results/:token/traces/:position', "the trace viewer is Playwright's page"],
  ['/trace-viewer/:name', "the trace viewer is Playwright's page"],
  ['/trace-viewer/assets/:name', "the trace viewer is Playwright's page"],
  ['/sign-in/oidc', 'leads to the identity provider'],
  ['/sign-in/oidc/callback', 'leads on to the dashboard'],
])

t.test(
  'pages of status pages, invites and second factors, and that no route is left out',
  { skip: noChromium },
  async (t) => {
    const room = await alertRoom(t, 'sqlite')
    const { app, url, call } = room
    const { userId } = await addPerson(room, { email: 'ada@example.com', name: 'Ada', role: 'OWNER' })
    const { incidents } = await shownPage(room)
    const shown = await (await fetch(`${url}/status/acme`)).text()
    const [maintenance = ''] = /\/maintenance\/[\w-]+/.exec(shown) ?? []
    const invite = await call('POST', '/v1/accounts/me/invites', {
      body: { email: 'grace@example.com', role: 'READ_WRITE' },
    })
    const step = stepCookie(app, { kind: 'code', userId, next: '/app', method: 'PASSWORD' })
    const [name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(step)?.slice(1) ?? []
    const status = ['', '/history', `/incidents/${incidents[0]}`, maintenance, '/embed']
    const paths = [
      '/sign-in/code',
      `/invites/${invite.body.token}`,
      ...status.map((path) => `/status/acme${path}`),
    ]
    const browser = await openBrowser(t)
    for (const look of looks) {
      const context = await browser.newContext(look)
      await context.addCookies([{ name, value, url }])
      const page = await context.newPage()
      for (const path of paths) {
        room.advance(1500)
        const answer = await page.goto(`${url}${path}`)
        t.equal(answer?.status(), 200, path)
        t.equal(new URL(page.url()).pathname, path, 'and no other page')
        looked.add(routeAt('GET', path)?.path ?? path)
        await looksWell(t, page, `${path}, ${look.colorScheme} ${look.viewport.width}`)
      }
      await context.close()
    }
    const pages = servedRoutes.filter(
      ({ method, path, responseType }) =>
        method === 'GET' && responseType === 'text/html' && !/^\/app(\/|$)/.test(path),
    )
    const unseen = pages.map(({ path }) => path).filter((path) => !looked.has(path))
    t.strictSame(unseen.toSorted(), [...elsewhere.keys()].toSorted(), 'every other public page was looked at')
  },
)

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
