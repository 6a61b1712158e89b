// Runs in test:all only: it opens dozens of pages in a browser.
/**
 * From `npm start` to a published status page and an alert that is answered, by clicks and keys alone: what the terminal
 * printed at the start is the only thing that is read from it.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Mailbox, mailbox } from '../support/mailbox.ts'
import { endsWith, scratchFolder, startProgram } from '../support/programs.ts'
import { type BrowserContext, type BrowserPage, noChromium, openBrowser } from '../support/result-browser.ts'
import { httpServer } from '../support/servers.ts'
import { until } from '../support/until.ts'

type Page = BrowserPage & {
  check(selector: string): Promise<void>
  selectOption(selector: string, value: string | { label: string }): Promise<void>
  waitForURL(pattern: RegExp): Promise<void>
  reload(): Promise<unknown>
  setDefaultTimeout(timeoutMs: number): void
}

/** Where pictures of the way go, for whoever looks at them. */
const pictures = process.env['SCREENSHOTS']
const patienceMs = 60_000

const openPage = async (context: BrowserContext): Promise<Page> => {
  const page = (await context.newPage()) as Page
  page.setDefaultTimeout(patienceMs)
  return page
}

const look = async (page: Page, name: string): Promise<void> => {
  if (pictures !== undefined)
    await writeFile(join(pictures, `${name}.png`), await page.screenshot({ fullPage: true }))
}

/** `npm start`, but for the check of what is installed; and what it says of how to get in. */
const started = async (t: Test, box: Mailbox): Promise<{ baseUrl: string; link: string }> => {
  const folder = await scratchFolder(t)
  const program = endsWith(
    t,
    startProgram('start.ts', {
      env: {
        ...{ PORT: '0', AGENT_HEALTH_PORT: '0', CAPTURE: 'off', DATA_DIR: folder },
        ...{ SMTP_URL: box.url, MAIL_FROM: 'watchpost@example.com' },
      },
    }),
  )
  const [, link = ''] = await program.line(/^ {4}(http\S+\/sign-in\/first\/\S+)$/)
  t.teardown(() => program.end('SIGTERM'))
  return { baseUrl: new URL(link).origin, link }
}

t.test(
  'from the first start to a visitor who reads that all is well again',
  { skip: noChromium },
  async (t) => {
    const box = await mailbox(t)
    let isWell = true
    const target = await httpServer(t, (_request, response) => {
      response.statusCode = isWell ? 200 : 503
      response.end('All systems are up')
    })
    const { baseUrl, link } = await started(t, box)
    const browser = await openBrowser(t)
    const page = await openPage(await browser.newContext())
    const startedAt = performance.now()
    const step = (name: string): void => t.comment(`${Math.round(performance.now() - startedAt)} ms: ${name}`)

    await page.goto(link)
    await look(page, '01-welcome')
    await page.fill('[name=name]', 'Ada')
    await page.fill('[name=email]', 'ada@example.com')
    await page.fill('[name=password]', 'correct horse battery')
    await page.click('main button')
    await page.waitForURL(/\/app$/)
    await look(page, '02-now')
    step('signed in')

    await page.click('text=Make the first check')
    await page.click('text=URL monitor')
    await look(page, '03-new-check')
    await page.fill('[name="body.name"]', 'Shop')
    await page.fill('[name="body.request.url"]', target.origin)
    await page.check('[name="body.frequency"][value="s10"]')
    await page.click('button.main')
    await page.waitForURL(/said=created/)
    await look(page, '04-check')
    await page.locator('#results a[href*="/app/runs/"]').first().waitFor()
    await look(page, '05-first-result')
    step('the first result came by itself')

    await page.goto(`${new URL(page.url()).origin}/app/channels`)
    await look(page, '06-channels')
    await page.click('text=New channel')
    await page.click('main >> text=/e-?mail/i')
    await look(page, '07-new-channel')
    await page.fill('[name="body.config.address"]', 'ada@example.com')
    await page.click('button.main')
    await look(page, '08-channels')
    await look(page, '09-channel')
    await page.locator('#subscribers >> text=Shop').waitFor()
    await page.click('.actions >> text=Test')
    await look(page, '12-test')
    await page.click('button.main')
    await until('the test mail', () => box.mails.length === 1)
    await look(page, '13-tested')
    step('the channel works')

    await page.click('nav >> text=Status pages')
    await look(page, '14-status-pages')
    await page.click('text=New service')
    await page.fill('[name="body.name"]', 'Storefront')
    await page.click('button.main')
    await page.waitForURL(/\/app\/services\/.*said=created/)
    await look(page, '15-services')
    await page.click('nav a[href="/app/status-pages"]:visible')
    await page.click('text=New status page')
    await look(page, '16-new-status-page')
    await page.fill('[name="body.name"]', 'Acme')
    await page.fill('[name="body.url"]', 'acme')
    await page.fill('[name="body.cards.0.name"]', 'Shop')
    await look(page, '17-card')
    await page.check('[name="body.cards.0.services[]"]')
    await page.click('button.main')
    await page.waitForURL(/\/app\/status-pages\/.*said=created/)
    await look(page, '18-status-pages')
    const visitor = await openPage(await browser.newContext())
    await visitor.goto(`${baseUrl}/status/acme`)
    await look(visitor, '19-visitor')

    isWell = false
    await until('the alert', () => box.mails.length === 2, 20)
    const alert = box.mails[1]
    if (pictures !== undefined) {
      await writeFile(join(pictures, '20-mail.html'), alert?.html ?? '')
      await writeFile(join(pictures, '20-mail.txt'), alert?.text ?? '')
    }
    step('the alert came')
    const answer = /http\S+\/alerts\/\S+/.exec(alert?.text ?? '')?.[0] ?? ''
    await page.goto(answer)
    await look(page, '21-alert')
    await page.click('button:text("Acknowledge")')
    await page.locator('h2:has-text("Acknowledged by Ada")').waitFor()
    await look(page, '22-acknowledged')
    await page.click('text=The check in the dashboard')
    await page.locator('#why >> text=Acknowledged by').first().waitFor()
    await look(page, '23-check')
    await page.click('nav >> text=Overview')
    await page.locator('#unwell a:text("Shop")').waitFor()
    await page.click('nav >> text=Incidents')
    await page.click('text=Open an incident')
    await look(page, '24-incident')
    await page.fill('[name="body.name"]', 'The storefront is down')
    await page.check('[name="body.services[]"]')
    await page.selectOption('[name="body.severity"]', 'MAJOR')
    await page.fill('[name="body.incidentUpdates.0.description"]', 'We are looking into it.')
    await page.click('button.main')
    await look(page, '26-incidents')
    await visitor.getByText('The storefront is down').first().waitFor()
    await look(visitor, '27-visitor')
    step('the visitor reads of it')

    isWell = true
    await until('the mail of the recovery', () => box.mails.length === 3, 20)
    step('the recovery came')
    await page.click('text=Post an update')
    await look(page, '28-update')
    await page.fill('[name="body.description"]', 'It is back.')
    await page.selectOption('[name="body.status"]', 'RESOLVED')
    await page.click('button.main')
    await page.locator('main >> text=It is back.').first().waitFor()
    await look(page, '29-incident')
    await page.click('nav >> text=Overview')
    const unwell = page.locator('#unwell')
    await unwell.waitFor()
    await unwell
      .locator('text=Nothing is failing')
      .waitFor()
      .catch(async (error: Error) => {
        throw new Error(`the overview says: ${await unwell.textContent()}`, { cause: error })
      })
    await look(page, '30-now')
    await visitor.locator('h1:text("Nothing has been measured yet")').waitFor()
    t.match(await visitor.locator('main').textContent(), /The storefront is down/, 'and of what was')
    await look(visitor, '31-visitor')
    step('all is well again')
  },
)
