// Runs in test:all only: it starts a browser for each of its scripts.
/** Scripts that really fail, run by the agent's own runners: the page of the check names the cause truly, and no file that is not there. */
import t from 'tap'
import { scheduleTick } from '../../control-plane/monitoring/schedule/schedule.ts'
import type { CheckType } from '../../protocol/check-type.ts'
import { testApp } from '../support/app.ts'
import { letChildrenThrough } from '../support/attempts.ts'
import { violationsOf } from '../support/axe.ts'
import { cannotBrowse } from '../support/browser-room.ts'
import { inProcessAgent } from '../support/in-process-agent.ts'
import { runsIn } from '../support/length.ts'
import { journeyLooks } from '../support/page-journey.ts'
import { openBrowser } from '../support/result-browser.ts'
import { shop } from '../support/shop.ts'
import { suiteRoom } from '../support/suite-room.ts'

letChildrenThrough()

const runtimeId = '2026.04' as const

t.test('a script that fails is explained by what it met', { skip: cannotBrowse() }, async (t) => {
  const { origin } = await shop(t, 'unused')
  const room = await suiteRoom(t)
  const plane = await testApp(t)
  const { url } = plane
  const ofPage = (act: string): string => `import { test, expect } from '@playwright/test'
test('shop', async ({ page }) => {
  await page.goto('${origin}/')
  ${act}
})`
  const anotherText = ofPage("await expect(page.locator('h1')).toHaveText('Warehouse', { timeout: 500 })")
  const missingElement = ofPage("await page.getByRole('button', { name: 'Buy' }).click({ timeout: 500 })")
  const ofRequests = `import { test, expect } from '@playwright/test'
test('orders', async ({ request }) => {
  const answer = await request.get('${origin}/api/orders')
  expect((await answer.json()).orders).toBe(4)
})`
  const suiteOf = (content: string) => ({
    files: [
      { path: 'package.json', content: '{}' },
      { path: 'package-lock.json', content: '{"lockfileVersion": 3}' },
      { path: 'shop.spec.ts', content },
    ],
  })
  const scriptOf = (script: string) => ({ script, runtimeId })
  const isText = /locator\('h1'\) has "Shop", and the script expects "Warehouse"/
  const isMissing = /getByRole\('button', \{ name: 'Buy' \}\) did not become ready/
  const cases = [
    { path: 'browser', body: scriptOf(anotherText), says: isText, not: isMissing },
    { path: 'browser', body: scriptOf(missingElement), says: isMissing, not: isText },
    // Which of both it was is told from the error, which is the same.
    ...(runsIn('long')
      ? [{ path: 'playwright', body: suiteOf(anotherText), says: isText, not: isMissing }]
      : []),
    { path: 'playwright', body: suiteOf(missingElement), says: isMissing, not: isText },
    { path: 'multistep', body: scriptOf(ofRequests), says: /toBe\(expected\)/, not: /screenshot|video/ },
  ]
  const ids: string[] = []
  for (const { path, body } of cases) {
    const common = { name: path, privateLocations: ['local'], frequency: 10, doubleCheck: false }
    const made = await plane.call('POST', `/v1/checks/${path}`, { body: { ...common, ...body } })
    t.equal(made.status, 201, made.text)
    ids.push(made.body.id)
  }
  await scheduleTick(plane.app)
  const checkTypes: CheckType[] = ['BROWSER', 'MULTI_STEP', 'PLAYWRIGHT']
  const offers = { checkTypes, runtimeIds: [runtimeId], maxMain: 10 }
  const agent = inProcessAgent(plane, { io: room.io, offers })
  t.equal(await agent.runDue(), cases.length)
  const browser = await openBrowser(t)
  for (const look of journeyLooks) {
    const page = await (await browser.newContext(look)).newPage()
    await page.goto(`${url}/sign-in`)
    await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
    await page.fill('[name=key]', plane.apiKey)
    await page.press('[name=key]', 'Enter')
    await page.waitForURL(/\/app$/)
    for (const [at, { path, says, not }] of cases.entries()) {
      await page.goto(`${url}/app/checks/${ids[at]}`)
      await page.click('#state summary:has-text("Probable cause")')
      const state = (await page.locator('#state').textContent()) ?? ''
      t.match(state, says, `${path}: the cause`)
      t.notMatch(state, not, `${path}: and no other`)
      t.match(state, 'Look first:')
      if (look.javaScriptEnabled) t.strictSame(await violationsOf(page), [], path)
      await page.click('#state a:text-is("The failing run")')
      await page.waitForURL(/\/app\/runs\//)
      const run = (await page.locator('.run').textContent()) ?? ''
      t.match(run, says, `${path}: on the page of the run`)
    }
  }
})
