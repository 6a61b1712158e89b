// Runs in test:all only: it opens forms in a browser.
/** Forms of checks in a real Chromium: how tall they are, rows without losing one's place, and a session that ends while somebody types. */
import t from 'tap'
import { type TestApp, testApp } from '../../../support/app.ts'
import { violationsOf } from '../../../support/axe.ts'
import { signedIn } from '../../../support/dashboard.ts'
import { noChromium, openBrowser } from '../../../support/result-browser.ts'

const withChannels = async (plane: TestApp): Promise<void> => {
  for (const address of ['ada@example.com', 'bob@example.com'])
    await plane.call('POST', '/v1/alert-channels', { body: { type: 'EMAIL', config: { address } } })
  await plane.call('POST', '/v1/private-locations', { body: { name: 'Frankfurt', slugName: 'frankfurt' } })
}

const tallest = { 'checks/url': 900, 'checks/api': 1500, 'alert-channels?type=WEBHOOK': 900 }
const locations = 50

t.test('forms fit, wide and narrow, in both schemes', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  await withChannels(plane)
  for (let number = 1; number <= locations; number++)
    await plane.call('POST', '/v1/private-locations', {
      body: { name: `Location ${number}`, slugName: `location-${number}` },
    })
  const browser = await openBrowser(t)
  for (const [form, height] of Object.entries(tallest))
    for (const look of [
      { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
      { viewport: { width: 390, height: 800 }, colorScheme: 'dark' },
    ]) {
      const context = await signedIn(t, browser, { plane, options: { ...look, bypassCSP: true } })
      const page = await context.newPage()
      await page.goto(`${plane.url}/app/do/post/v1/${form}`)
      const size = await page.evaluate<number[]>(
        '[document.documentElement.scrollHeight, document.documentElement.scrollWidth]',
      )
      if (look.viewport.width === 1280) t.ok((size[0] ?? 0) <= height, `${form}: ${size[0]} px`)
      t.ok((size[1] ?? 0) <= look.viewport.width, `${form} fits ${look.viewport.width} px`)
      const save = await page.locator('.savebar button.main').boundingBox()
      t.ok(save !== null && save.y + save.height <= look.viewport.height, 'Save is in sight')
      for (const summary of await page.locator('.folds>details>summary').all()) await summary.click()
      t.strictSame(await violationsOf(page), [], `${form}, ${look.colorScheme}`)
    }
})

t.test('rows come and go without losing place, focus or text', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  await withChannels(plane)
  const page = await (await signedIn(t, await openBrowser(t), { plane })).newPage()
  await page.goto(`${plane.url}/app/do/post/v1/checks/api`)
  const address = page.url()
  await page.fill('[name="body.name"]', 'Products')
  await page.click('[value="add:body.request.assertions"]')
  await page.locator('#f-body-request-assertions-0').waitFor()
  t.equal(
    await page.evaluate<string>('document.activeElement.name'),
    'body.request.assertions.0.source',
    'the new row has the focus',
  )
  await page.fill('[name="body.request.assertions.0.target"]', '204')
  await page.click('[value="add:body.request.assertions"]')
  await page.locator('#f-body-request-assertions-1').waitFor()
  t.equal(await page.inputValue('[name="body.request.assertions.0.target"]'), '204')
  await page.click('[value="remove:body.request.assertions.1"]')
  await page.locator('#f-body-request-assertions-1').waitFor({ state: 'detached' })
  t.equal(await page.inputValue('[name="body.name"]'), 'Products')
  t.equal(page.url(), address, 'it is the same page')
  await page.click('summary:has-text("Whom to tell")')
  await page.check('#f-body-muted')
  await page.locator('#consequence:has-text("it is muted")').waitFor()
})

t.test(
  'what was typed outlives a session that has ended, but no secret does',
  { skip: noChromium },
  async (t) => {
    const plane = await testApp(t)
    await withChannels(plane)
    const context = await signedIn(t, await openBrowser(t), { plane })
    const page = await context.newPage()
    await page.goto(`${plane.url}/app/do/post/v1/checks/api`)
    await page.fill('[name="body.name"]', 'Products')
    await page.fill('[name="body.request.url"]', 'https://shop.example/api')
    await page.check('[name="body.privateLocations[]"][value=local]')
    await page.click('summary:has-text("Headers and body")')
    await page.click('[value="add:body.request.headers"]')
    await page.fill('[name="body.request.headers.0.key"]', 'authorization')
    await page.fill('[name="body.request.headers.0.value"]', 'hunter2-hunter2')
    await context.clearCookies()
    await page.click('button.main')
    await page.waitForURL(/\/sign-in\?next=/)
    t.notMatch(await page.evaluate<string>('JSON.stringify(sessionStorage)'), 'hunter2')
    await page.locator('summary, [name=key]').first().waitFor()
    await page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true })')
    await page.fill('[name=key]', plane.apiKey)
    await page.press('[name=key]', 'Enter')
    await page.waitForURL(/\/app\/do\/post/)
    await page.locator('[name="body.request.headers.0.key"]').waitFor({ state: 'attached' })
    t.equal(await page.inputValue('[name="body.name"]'), 'Products')
    t.equal(await page.inputValue('[name="body.request.headers.0.value"]'), '')
    t.ok(await page.isChecked('[name="body.privateLocations[]"][value=local]'))
    t.equal(await page.evaluate<number>('sessionStorage.length'), 0)
    await page.click('summary:has-text("Headers and body")')
    await page.fill('[name="body.request.headers.0.value"]', 'again')
    await page.click('button.main')
    await page.waitForURL(/said=created/)
  },
)
