// Runs in test:all only: it opens dozens of pages in a browser.
/** Ways through the pages in a real Chromium, each by somebody who has nothing else: no API, no terminal. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { insertCheck } from '../../../control-plane/monitoring/definitions/checks/queries.ts'
import { mailTick } from '../../../control-plane/platform/services/mail/mail-tick.ts'
import { servedRoutes } from '../../../control-plane/routes.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { overflowOf } from '../../support/axe.ts'
import { signedIn } from '../../support/dashboard.ts'
import { byLength } from '../../support/length.ts'
import { withMailbox } from '../../support/mailbox.ts'
import {
  failedRun,
  noChromium,
  openBrowser,
  type BrowserPage as Page,
  type ResultBrowser,
  scriptDetail,
} from '../../support/result-browser.ts'
import { makePage } from '../../support/status-page.ts'

/** Where pictures go, for whoever looks at them. */
const pictures = process.env['SCREENSHOTS']

const look = async (page: Page, name: string): Promise<void> => {
  if (pictures !== undefined)
    await writeFile(join(pictures, `${name}.png`), await page.screenshot({ fullPage: true }))
}

const asOwner = async (t: Test, browser: ResultBrowser, plane: TestApp, options = {}): Promise<Page> =>
  (await signedIn(t, browser, { plane, options })).newPage()

const asStranger = async (browser: ResultBrowser, options = {}): Promise<Page> =>
  (await browser.newContext(options)).newPage()

t.test('the first check is made by Tab, Enter and typing alone', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  const page = await asOwner(t, await openBrowser(t), plane)
  const isAt = (act: string) => page.evaluate<boolean>(act)
  const tabTo = async (what: string, act: string): Promise<void> => {
    for (let tabs = 0; tabs < 120; tabs++) {
      await page.keyboard.press('Tab')
      if (await isAt(act)) return
    }
    throw new Error(`${what} is not reached by Tab`)
  }
  const link = (text: string) =>
    tabTo(
      text,
      `document.activeElement?.matches('a') && document.activeElement.textContent.includes('${text}')`,
    )
  const field = (name: string) => tabTo(name, `document.activeElement?.name === '${name}'`)
  await page.goto(`${plane.url}/app`)
  await link('Make the first check')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/app\/checks\/new$/)
  await link('URL monitor')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/app\/do\//)
  await field('body.name')
  await page.keyboard.type('Shop')
  await field('body.request.url')
  await page.keyboard.type('https://shop.example/')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/app\/checks\/[0-9a-f-]+\?said=created$/)
  const [check] = (await plane.call('GET', '/v1/checks')).body
  t.match(check, { name: 'Shop', request: { url: 'https://shop.example/' } })
  t.strictSame(check.privateLocations, ['local'], 'the one location that there is')
})

t.test('a private page opens for its password and for nothing else', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  const { pageId } = await makePage(plane, { isPrivate: true })
  const browser = await openBrowser(t)
  const owner = await asOwner(t, browser, plane)
  await owner.goto(`${plane.url}/app/status-pages/${pageId}`)
  await look(owner, 'private-page')
  await owner.click('text=Password, networks, frames')
  await owner.fill('[name="body.password"]', 'correct horse battery')
  await owner.click('button.main')
  await owner.waitForURL(/said=saved/)
  await owner.click('text=Password, networks, frames')
  await owner.fill('[name="body.frameAncestors"]', 'https://www.example.com')
  await owner.click('button.main')
  await owner.waitForURL(/said=saved/)

  const visitor = await asStranger(browser)
  await visitor.goto(`${plane.url}/status/acme`)
  t.notMatch(await visitor.locator('main').textContent(), 'Shop')
  await visitor.fill('input[type=password]', 'a wrong password')
  await visitor.click('main button')
  await visitor.locator('[role=alert]').waitFor()
  t.notMatch(await visitor.locator('main').textContent(), 'Shop')
  await visitor.fill('input[type=password]', 'correct horse battery')
  await visitor.click('main button')
  await visitor.locator('h1:text("Nothing has been measured yet")').waitFor()
  t.match(await visitor.locator('main').textContent(), 'Shop', 'the password outlived the second form')
  await owner.click('text=Password, networks, frames')
  await owner.click('label:has-text("Take it away")')
  await owner.click('button.main')
  await owner.waitForURL(/said=saved/)
  const publication = await plane.call('GET', `/v1/status-pages/${pageId}/publication`)
  t.match(publication.body, { hasPassword: false, frameAncestors: ['https://www.example.com'] })
})

t.test('a page that is made private says its password once', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  const page = await asOwner(t, await openBrowser(t), plane)
  await page.goto(`${plane.url}/app/do/post/v1/status-pages`)
  await page.fill('[name="body.name"]', 'Acme')
  await page.fill('[name="body.url"]', 'acme')
  await page.click('button[aria-label="Remove card 1"]')
  await page.click('label:has-text("Is private")')
  await page.click('button.main')
  await page.waitForSelector('.said')
  t.match(await page.locator('main').textContent(), /sp_[0-9a-f]{32}/)
})

t.test('somebody is invited and joins, by pages alone', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  const browser = await openBrowser(t)
  const owner = await asOwner(t, browser, plane)
  await owner.goto(`${plane.url}/app/members`)
  await owner.click('text=Invite somebody')
  await owner.fill('[name="body.email"]', 'grace@example.com')
  await owner.selectOption('[name="body.role"]', 'READ_ONLY')
  await owner.click('button.main')
  await look(owner, 'invited')
  const link = (await owner.locator('main a[href*="/invites/"]').textContent()) ?? ''
  const guest = await asStranger(browser)
  await guest.goto(link.replace(plane.app.config.baseUrl, plane.url))
  await guest.fill('#name', 'Grace')
  await guest.fill('input[type=password]', 'correct horse battery')
  await guest.click('button:text("Accept and sign in")')
  await guest.waitForURL(/\/app$/)
  t.match(await guest.locator('header').textContent(), 'May look')
  t.equal(await guest.getByText('New check').count(), 0)
  await owner.goto(`${plane.url}/app/members`)
  t.match(await owner.locator('main').textContent(), 'Grace')
})

t.test('a visitor subscribes by form, and confirms from the mail', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  const box = await withMailbox(t, plane)
  const { pageId } = await makePage(plane)
  const browser = await openBrowser(t)
  for (const javaScriptEnabled of [true, false]) {
    const page = await asStranger(browser, { javaScriptEnabled })
    const address = `ada${javaScriptEnabled}@example.com`
    await page.goto(`${plane.url}/status/acme`)
    await page.fill('input[name=address]', address)
    await page.keyboard.press('Enter')
    await page.locator('h1:text("mailbox")').waitFor()
    await mailTick(plane.app)
    const link = /http\S+\/verify/.exec(box.mails.at(-1)?.text ?? '')?.[0] ?? ''
    await page.goto(link.replace(plane.app.config.baseUrl, plane.url))
    await page.click('button')
    await page.getByText('You are subscribed').waitFor()
    const path = `/v1/status-pages/${pageId}/subscriptions`
    t.match(
      (await plane.call('GET', path)).body.find((each: { address: string }) => each.address === address),
      { status: 'VERIFIED' },
    )
  }
})

t.test('a service is given its check by name, by clicks alone', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  const { body: service } = await plane.call('POST', '/v1/status-pages/services', { body: { name: 'Shop' } })
  for (const name of ['Cart', 'Blog']) {
    const body = { name, request: { url: 'https://shop.example/' }, locations: ['eu-west-1'] }
    await plane.call('POST', '/v1/checks/url', { body })
  }
  const browser = await openBrowser(t)
  for (const javaScriptEnabled of [true, false]) {
    const viewport = { width: javaScriptEnabled ? 1280 : 390, height: 844 }
    const colorScheme = javaScriptEnabled ? 'light' : 'dark'
    const page = await asOwner(t, browser, plane, { javaScriptEnabled, viewport, colorScheme })
    await page.goto(`${plane.url}/app/status-pages`)
    await page.click('a:text-is("Shop")')
    await page.fill('main input[name=search]', 'cart')
    await page.click('button:text-is("Find")')
    await page.waitForURL(/search=cart/)
    await page.click('label:has-text("Cart")')
    await page.click('text=Add those that are ticked')
    await page.waitForURL(/said=saved/)
    t.strictSame(await page.locator('#checks td.main a').allTextContents(), ['Cart'])
    await look(page, `service-${viewport.width}`)
    const [check] = (await plane.call('GET', '/v1/checks?search=cart')).body
    t.match(check.triggerIncident, { serviceId: service.id, name: 'Shop' })
    await page.click('#checks button')
    await page.locator('text=It follows no check').waitFor()
  }
})

t.test(
  'among thousands of checks one is found, and the next hundred are a click away',
  { skip: noChromium },
  async (t) => {
    const plane = await testApp(t)
    const { app, accountId } = plane
    const count = byLength({ short: 2000, all: 2000, long: 10_000 })
    const doc = { frequency: 10, tags: [], muted: false, request: { url: 'https://shop.example/' } }
    await app.db.transaction(async (trx) => {
      for (let made = 0; made < count; made++) {
        const name = `check ${made}`
        await trx.run(insertCheck, {
          ...{ id: app.newId(), account_id: accountId, type: 'URL', name, activated: true, group_id: null },
          ...{ created_at: made, doc: JSON.stringify({ ...doc, name }) },
        })
      }
    })
    const page = await asOwner(t, await openBrowser(t), plane)
    await page.goto(`${plane.url}/app/checks`)
    const names = () => page.locator('td.main a').allTextContents()
    const first = await names()
    t.equal(first.length, 100)
    await page.click('a[rel=next]')
    await page.waitForURL(/after=|at=|from=/)
    const second = await names()
    t.equal(new Set([...first, ...second]).size, 200)
    await page.goto(`${plane.url}/app/checks`)
    await page.keyboard.press('/')
    await page.keyboard.type('check 1777')
    await page.keyboard.press('Enter')
    await page.waitForURL(/search=/)
    t.strictSame(await names(), ['check 1777'])
    await page.click('td.main a')
    await page.locator('h1:text("check 1777")').waitFor()
    await page.goto(`${plane.url}/app`)
    t.match(await page.locator('#counts').textContent(), count.toLocaleString('en'))
  },
)

t.test('what a failed browser check saw is looked at from its page', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  Object.assign(plane.app.config, { baseUrl: plane.url })
  const page = await asOwner(t, await openBrowser(t), plane)
  await page.goto(plane.url)
  const png = await page.screenshot()
  const file = { name: 'failed.png', type: 'screenshot', contentType: 'image/png', bytes: png }
  const { checkId } = await failedRun(plane, {
    name: 'Checkout',
    error: 'Timeout: the button did not come',
    files: [file],
    detail: scriptDetail(plane.app.clock.now(), { errors: [] }),
  })
  await page.goto(`${plane.url}/app/checks/${checkId}`)
  await page.locator('#results a[href*="/app/runs/"]').first().click()
  await page.waitForURL(/\/app\/runs\//)
  await look(page, 'browser-run')
  await page.locator('main img').first().waitFor()
  const width = `(async (img) => { await img.decode(); return img.naturalWidth })(document.querySelector('main img'))`
  t.ok((await page.evaluate<number>(width)) > 0, 'it is shown')
  t.match(await page.locator('main').textContent(), 'the button did not come')
})

t.test('the account is renamed by form, and nothing else of it changes', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  const read = async () => (await plane.call('GET', '/v1/accounts/me')).body
  const before = await read()
  const page = await asOwner(t, await openBrowser(t), plane)
  await page.goto(`${plane.url}/app/account`)
  await page.click('.actions >> text=Edit')
  await look(page, 'account')
  await page.fill('[name="body.name"]', 'Acme Ltd')
  await page.click('button.main')
  await look(page, 'account-saved')
  await page.waitForURL(/\/app\/account\?said=saved$/)
  t.strictSame(await read(), { ...before, name: 'Acme Ltd' })
})

t.test('no page of the dashboard is wider than 320 px', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  await makePage(plane)
  const page = await asOwner(t, await openBrowser(t), plane, { viewport: { width: 320, height: 700 } })
  const paths = servedRoutes
    .filter(
      ({ method, path, responseType }) =>
        method === 'GET' && responseType === 'text/html' && path.startsWith('/app') && !path.includes(':'),
    )
    .map(({ path }) => path)
  t.ok(paths.length > 40)
  for (const path of paths) {
    await page.goto(`${plane.url}${path}`)
    t.equal(await overflowOf(page), 0, path)
  }
})
