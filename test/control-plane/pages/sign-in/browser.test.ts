// Runs in test:all only: it opens dozens of pages in a browser.
// Runs on both engines in test:all: its statements run in no other file.
/** The pages of signing in in a real browser: by keyboard, without JavaScript, with a passkey, and as they look. */
import { writeFile } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { newLinkToken, storeLink } from '../../../../control-plane/access/sign-in/links.ts'
import { type TestApp, type TestAppOptions, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { addPerson } from '../../../support/members.ts'
import { noChromium, openBrowser, type BrowserPage as Page } from '../../../support/result-browser.ts'

const password = 'correct horse battery'
const email = 'ada@example.com'
/** Where pictures of the pages go, for whoever looks at them. */
const pictures = process.env['SIGN_IN_PICTURES']

/** Passkeys are for names: the plane is `localhost` here. */
const room = async (t: Test, options: TestAppOptions = {}) => {
  const plane = await testApp(t, options)
  const baseUrl = plane.url.replace('127.0.0.1', 'localhost')
  Object.assign(plane.app.config, { baseUrl })
  const { userId } = await addPerson(plane, { email, name: 'Ada', role: 'OWNER' })
  const browser = await openBrowser(t)
  const open = async (options: object = {}): Promise<Page> => (await browser.newContext(options)).newPage()
  return { plane, baseUrl, userId, open }
}

const linkOf = async ({ app }: TestApp, userId: string): Promise<string> => {
  const token = newLinkToken(app)
  const link = { userId, purpose: 'OPERATOR', now: app.clock.now(), token } as const
  await app.db.transaction((trx) => storeLink(trx, link))
  return `/sign-in/first/${token}`
}

const look = async (page: Page, name: string): Promise<void> => {
  if (pictures === undefined) return
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await writeFile(`${pictures}/${name}-${width}.png`, await page.screenshot({ fullPage: true }))
  }
}

/** Wider than the window: somebody would have to scroll sideways. */
const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'

t.test(
  'by keyboard alone and without JavaScript: a link, a password, out, and in again',
  { skip: noChromium },
  async (t) => {
    const { plane, baseUrl, userId, open } = await room(t)
    const page = await open({ javaScriptEnabled: false, viewport: { width: 320, height: 700 } })
    await page.goto(baseUrl + (await linkOf(plane, userId)))
    await look(page, 'link')
    await page.keyboard.press('Tab')
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${baseUrl}/app`)
    await look(page, 'home')
    await page.click('text=Sign out')
    await page.waitForURL(`${baseUrl}/sign-in`)
    await look(page, 'sign-in')
    await page.keyboard.press('Tab')
    await page.keyboard.type(email)
    await page.keyboard.press('Tab')
    await page.keyboard.type('a wrong password')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=alert]')
    t.match(await page.textContent('[role=alert]'), 'The e-mail or the password is wrong.')
    await look(page, 'wrong')
    await page.fill('#password', password)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${baseUrl}/app`)
  },
)

for (const engine of engineNames)
  t.test(`a passkey is added and signs in by itself (${engine})`, { skip: noChromium }, async (t) => {
    const { plane, baseUrl, userId, open } = await room(t, { engine })
    const page = await open()
    const session = await page.context().newCDPSession(page)
    await session.send('WebAuthn.enable')
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    })
    await page.goto(baseUrl + (await linkOf(plane, userId)))
    await page.fill('#password', password)
    await page.click('button')
    await page.waitForURL(`${baseUrl}/app`)
    await page.goto(`${baseUrl}/app/profile`)
    await page.waitForSelector('form[data-passkey]:not([hidden])')
    await page.fill('#passkey-name', '<img src=x onerror=alert(1)>')
    await page.click('text=Add a passkey')
    await page.waitForSelector('.list > li')
    t.match(await page.textContent('.list > li strong'), '<img src=x onerror=alert(1)>')
    await look(page, 'profile')
    await page.goto(`${baseUrl}/app/sessions`)
    await look(page, 'sessions')
    await page.goto(`${baseUrl}/app/audit`)
    await page.click('summary >> nth=0').catch(() => undefined)
    await look(page, 'audit')
    await page.click('text=Sign out')
    await page.waitForSelector('form[data-passkey]:not([hidden])')
    await page.click('text=Sign in with a passkey')
    await page.waitForURL(`${baseUrl}/app`)
    const rows = await plane.app.db.select((k) =>
      k.selectFrom('user_passkeys').select(['user_id', 'used_at']),
    )
    t.equal(rows[0]?.user_id, userId)
    t.type(rows[0]?.used_at, 'number')
    await page.goto(`${baseUrl}/app/profile`)
    await page.click('text=Set it up')
    await page.waitForSelector('svg.qr')
    await look(page, 'totp')
  })

t.test('no page needs to be scrolled sideways at 320 px', { skip: noChromium }, async (t) => {
  const { plane, baseUrl, userId, open } = await room(t)
  const page = await open({ viewport: { width: 320, height: 700 } })
  await page.goto(baseUrl + (await linkOf(plane, userId)))
  t.equal(await page.evaluate(isTooWide), false, 'link')
  await page.fill('#password', password)
  await page.click('button')
  await page.waitForURL(`${baseUrl}/app`)
  await plane.call('POST', '/v1/snippets', { body: { name: 'a'.repeat(200), script: 'b'.repeat(3000) } })
  for (const path of ['/sign-in', '/app', '/app/profile', '/app/sessions', '/app/audit']) {
    await page.goto(baseUrl + path)
    await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
    t.equal(await page.evaluate(isTooWide), false, path)
  }
})
