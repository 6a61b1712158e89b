/** The first page, the page that answers an alert, a result's page and error pages in a real browser. */
import { join } from 'node:path'
import t from 'tap'
import { alertToken } from '../../../control-plane/alerting/messages/alert-link.ts'
import { resultLink } from '../../../control-plane/alerting/messages/result-link.ts'
import { alertRoom } from '../../support/alert-room.ts'
import { noChromium, openBrowser } from '../../support/result-browser.ts'

const dayMs = 86_400_000
const folder = process.env['SCREENSHOTS']

t.test(
  'no script is needed, nothing overflows, nobody is lied to by hostile names',
  { skip: noChromium },
  async (t) => {
    const room = await alertRoom(t, 'sqlite')
    const { app, url, call, addCheck, run } = room
    const description = 'Runbook: https://wiki.example/shop?a=1. Not javascript:alert(1), not <b>bold</b>'
    const checkId = await addCheck({ name: '"><img src=x onerror=alert(1)> \u202Eshop', description })
    await run('pdfpf')
    const [{ id: alertId }] = (await call('GET', `/v1/check-alerts/${checkId}`)).body
    const expiresAt = app.clock.now() + dayMs
    const paths = {
      front: '/',
      alert: `/alerts/${alertToken(app, { alertId, channelId: 0, expiresAt })}`,
      result: new URL(resultLink(app, { checkId, resultId: null, expiresAt })).pathname,
      'not-found': '/nowhere',
    }
    const browser = await openBrowser(t)
    for (const javaScriptEnabled of [true, false]) {
      const context = await browser.newContext({
        javaScriptEnabled,
        timezoneId: 'Asia/Tokyo',
        locale: 'en-GB',
      })
      const page = await context.newPage()
      const problems: string[] = []
      page.on('console', (message) => problems.push(message.text()))
      for (const [name, path] of Object.entries(paths)) {
        await page.goto(`${url}${path}`)
        for (const [width, colorScheme] of [
          [320, 'light'],
          [360, 'dark'],
          [1280, 'light'],
        ] as const) {
          await page.setViewportSize({ width, height: 800 })
          await page.emulateMedia({ colorScheme })
          if (javaScriptEnabled) {
            const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
            t.ok(wide <= width, `${name} at ${width}: ${wide}`)
          }
          if (folder !== undefined && javaScriptEnabled)
            await page.screenshot({
              fullPage: true,
              path: join(folder, `${name}-${width}-${colorScheme}.png`),
            })
        }
        t.equal(await page.locator('h1').count(), 1, `${name} has one heading`)
        t.equal(await page.locator('img').count(), 0)
        if (name === 'result') {
          t.equal(await page.locator('a[href="https://wiki.example/shop?a=1"][rel~=noopener]').count(), 1)
          t.equal(await page.locator('a[href^=javascript]').count(), 0)
          t.equal(await page.locator('svg.strip .v-failing').count(), 2)
          t.equal(await page.locator('svg.strip .v-degraded').count(), 1)
          const time = (await page.locator('time').first().textContent()) ?? ''
          t.match(time, javaScriptEnabled ? 'GMT+9' : 'UTC', 'in the reader’s zone, or in UTC')
        }
      }
      await page.goto(`${url}${paths.alert}`)
      await page.click(javaScriptEnabled ? 'button:text("Acknowledge")' : 'button:text("Snooze")')
      await page
        .locator(javaScriptEnabled ? 'h2:has-text("Acknowledged by")' : 'h2:has-text("Snoozed by")')
        .waitFor()
      t.strictSame(
        problems.filter((problem) => !problem.includes('404')),
        [],
        'the policy lets in all that pages need',
      )
      await context.close()
    }
  },
)
