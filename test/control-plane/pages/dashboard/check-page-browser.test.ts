// Runs in test:all only: it opens pages in a browser.
/** The page of a check in a real Chromium: read by keyboard, filtered by clicks with and without scripts; wide and narrow, both schemes. */
import t from 'tap'
import { testApp } from '../../../support/app.ts'
import { overflowOf, violationsOf } from '../../../support/axe.ts'
import { checkWith, signedIn } from '../../../support/dashboard.ts'
import { noChromium, openBrowser } from '../../../support/result-browser.ts'

const looks = [
  { viewport: { width: 1280, height: 900 }, colorScheme: 'light', bypassCSP: true },
  { viewport: { width: 390, height: 844 }, colorScheme: 'dark', bypassCSP: true },
] as const

t.test('a failing check, seen by whoever is called at night', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  const browser = await openBrowser(t)
  const { checkId } = await checkWith(plane, {
    ...{ name: 'Checkout', state: 'failing', error: 'Status 503 instead of 200' },
    doc: { tags: ['a-long-tag-'.repeat(20)], description: 'Runbook' },
  })
  for (const options of looks) {
    const page = await (await signedIn(t, browser, { plane, options })).newPage()
    await page.goto(`${plane.url}/app/checks/${checkId}`)
    const top = await page.locator('#state').boundingBox()
    t.ok(options.viewport.width < 600 || (top?.y ?? 1000) < 300, 'the state is what one sees first')
    t.match(await page.locator('#state').textContent(), /Failing.*Status 503 instead of 200/s)
    t.strictSame(await violationsOf(page), [])
    t.equal(await overflowOf(page), 0)
    await page.focus('svg.chart')
    for (const key of ['ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key)
    const newest = await page.locator('.readout').textContent()
    t.match(newest, /failed/, 'the stretch before the newest')
    await page.keyboard.press('Home')
    t.not(await page.locator('.readout').textContent(), newest)
    await page.locator('svg.chart').hover({ position: { x: 2, y: 20 } })
    t.match(await page.locator('.readout').textContent(), /\d/)
    t.not(await page.locator('.axis [data-zone]').textContent(), '', 'the zone is said')
  }
})

t.test('runs are found by clicks, without scripts as well', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  const browser = await openBrowser(t)
  const { checkId } = await checkWith(plane, { name: 'Checkout', state: 'failing', error: 'status 503' })
  for (const javaScriptEnabled of [true, false]) {
    const page = await (await signedIn(t, browser, { plane, options: { javaScriptEnabled } })).newPage()
    await page.goto(`${plane.url}/app/checks/${checkId}`)
    await page.click('#results .segments >> text=Failed')
    await page.waitForURL(/outcome=failed/)
    t.equal(await page.locator('#results tbody tr').count(), 3)
    await page.selectOption('#results [name=location]', { index: 1 })
    await page.click('#results >> text=Show')
    await page.waitForURL(/outcome=failed&location=/)
    t.equal(await page.locator('#results tbody tr').count(), 3)
    await page.click('#results .segments >> text=Missed')
    t.match(await page.locator('#results').textContent(), 'No missed runs.')
    await page.click('#figures .segments >> text=7 d')
    await page.waitForURL(/range=week/)
    t.match(await page.locator('#figures [aria-current]').textContent(), '7 d')
  }
})
