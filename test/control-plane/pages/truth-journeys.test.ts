// Runs in test:all only: it opens dozens of pages in a browser.
/** By clicks alone: what is added later is what a new form has, what will not do what was meant is said, and who reads may answer. */
import { alertRoom } from '../../support/alert-room.ts'
import { loopbackEnv } from '../../support/alerting.ts'
import { goTo, journey, journeyFrom, save, textOf, unfold } from '../../support/page-journey.ts'
import type { BrowserPage as Page } from '../../support/result-browser.ts'

/** What stands in the forms of checks only if somebody asks for it. */
const addBlocks = async (page: Page): Promise<void> => {
  await unfold(page, 'Retries')
  await page.check('[type=checkbox][name="body.retryStrategy._on"]')
  await unfold(page, 'Status page')
  await page.check('[type=checkbox][name="body.triggerIncident._on"]')
  await page.fill('[name="body.triggerIncident.name"]', 'Shop is away')
  await unfold(page, 'Whom to tell')
  await page.uncheck('[type=checkbox][name="body.useGlobalAlertSettings"]')
  await page.check('[type=checkbox][name="body.alertSettings._on"]')
}

journey('what is added to a check later has the defaults of a new one', async ({ t, plane, page }) => {
  await plane.call('POST', '/v1/status-pages/services', { body: { name: 'Shop' } })
  const fill = async (name: string): Promise<void> => {
    await goTo(page, 'Checks')
    await page.click('text=New check')
    await page.click('text=URL monitor')
    await page.fill('[name="body.name"]', name)
    await page.fill('[name="body.request.url"]', 'https://shop.example/')
    await page.check('[name="body.privateLocations[]"]')
  }
  await fill('New')
  await addBlocks(page)
  await save(page)
  await page.waitForURL(/said=created/)
  await fill('Later')
  await save(page)
  await page.waitForURL(/said=created/)
  await page.click('.actions a:text-is("Edit")')
  await addBlocks(page)
  await save(page)
  await page.waitForURL(/said=saved/)
  const blocks = (await plane.call('GET', '/v1/checks')).body.map(
    ({ retryStrategy, triggerIncident, alertSettings }: Record<string, unknown>) => ({
      ...{ retryStrategy, triggerIncident, alertSettings },
    }),
  )
  t.equal(blocks.length, 2)
  t.strictSame(blocks[0], blocks[1])
  t.match(blocks[0], {
    triggerIncident: { severity: 'MINOR', notifySubscribers: true },
    retryStrategy: { type: 'FIXED', maxRetries: 2 },
    alertSettings: { reminders: { amount: 0, interval: 5 } },
  })
})

/** What the API warned of, as the page after a form says it; and on to what was saved. */
const warned = async (page: Page): Promise<string> => {
  await page.locator('[role=alert]:has-text("It was saved, but:")').waitFor()
  const warnings = await textOf(page, '[role=alert] ul')
  await page.click('[role=alert] a:text-is("Go on")')
  return warnings
}

const newCheck = async (page: Page, kind: string): Promise<void> => {
  await goTo(page, 'Checks')
  await page.click('text=New check')
  await page.click(`text=${kind}`)
}

journey('what will not do what was meant is said after it was saved', async ({ t, page }) => {
  await newCheck(page, 'URL monitor')
  await page.fill('[name="body.name"]', 'Nowhere')
  await page.fill('[name="body.request.url"]', 'https://shop.example/')
  await page.uncheck('[name="body.privateLocations[]"]')
  await save(page)
  t.match(await warned(page), 'It has no location, so it never runs.')
  t.match(await textOf(page, '#state'), 'It has no location, so it never runs.', 'and on its page')

  await newCheck(page, 'Browser check')
  await page.fill('[name="body.name"]', 'Checkout')
  await page.fill('[name="body.script"]', "import a from 'a'\nconst b = (\n")
  await save(page)
  t.match(await warned(page), 'The script cannot be parsed, line 2: ')

  for (const [name, day, warning] of [
    ['Of nothing', '2030-01-01', 'pauses'],
    ['Of the past', '2020-01-01', 'Its last occurrence is over'],
  ] as const) {
    await goTo(page, 'Incidents', 'Maintenance')
    await page.click('text=New window')
    await page.fill('[name="body.name"]', name)
    await page.fill('[name="body.startsAt"]', `${day}T02:00`)
    await page.fill('[name="body.endsAt"]', `${day}T04:00`)
    if (day < '2026') await page.check('#f-body-pauseAllChecks')
    await save(page)
    t.match(await warned(page), warning, name)
    t.match(await textOf(page), name)
  }
})

const openRoom = (t: Parameters<typeof alertRoom>[0]) => alertRoom(t, 'sqlite', loopbackEnv)

journeyFrom(
  'the owner acknowledges where they read of it',
  { open: openRoom },
  async ({ t, plane, page }) => {
    const checkId = await plane.addCheck({ name: 'Shop' })
    await plane.run('pf')
    await goTo(page, 'Overview')
    await page.click('#unwell a:text-is("Shop")')
    await page.locator('#results a[href*="/app/runs/"]').first().click()
    await page.waitForURL(/\/app\/runs\//)
    const run = new URL(page.url()).pathname
    await page.click('#alert button:text-is("Acknowledge")')
    await page.locator('#alert >> text=Acknowledged by Ada').waitFor()
    t.equal(new URL(page.url()).pathname, run, 'they stay where they read')
    t.match((await plane.call('GET', `/v1/checks/${checkId}/alert-explanation`)).body, {
      response: { action: 'ACKNOWLEDGED', by: 'Ada' },
    })
    await page.click('#alert button:text-is("Take the answer back")')
    await page.locator('#alert button:text-is("Acknowledge")').waitFor()
    await page.click('#alert a:text-is("Snooze")')
    await page.locator('.savebar').waitFor()
    await save(page)
    await page.locator('#alert >> text=Snoozed by Ada').waitFor()
  },
)
