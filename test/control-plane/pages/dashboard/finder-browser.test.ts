// Runs in test:all only: it opens forms in a browser.
/** Choosing among ten thousand of each in a real Chromium: with scripts wide, without them at 390 px. */
import t from 'tap'
import { contentColumns } from '../../../../control-plane/alerting/alert-channels/channel-row.ts'
import { insertChannel } from '../../../../control-plane/alerting/alert-channels/queries.ts'
import { insertGroup } from '../../../../control-plane/monitoring/definitions/check-groups/queries.ts'
import { insertPrivateLocation } from '../../../../control-plane/monitoring/locations/queries.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { overflowOf, violationsOf } from '../../../support/axe.ts'
import { signedIn } from '../../../support/dashboard.ts'
import { noChromium, openBrowser } from '../../../support/result-browser.ts'

const many = 10_000

const withMany = async (plane: TestApp): Promise<void> => {
  const { app, accountId } = plane
  const { body: channel } = await plane.call('POST', '/v1/alert-channels', {
    body: { type: 'EMAIL', config: { address: 'a@example.com' } },
  })
  const { id: _, subscriptions: _s, created_at: _c, updated_at: _u, type: _t, config: _d, ...flags } = channel
  const row = { account_id: accountId, created_at: 1, updated_at: null, version: 1 }
  await app.db.transaction(async (trx) => {
    for (let at = 1; at <= many; at++) {
      const name = `Team ${at}`
      const config = { address: `person-${at}@example.com` }
      const columns = contentColumns(app.cipher, 10_000 + at, { type: 'EMAIL', config, flags })
      await trx.run(insertGroup, {
        ...row,
        id: 10_000 + at,
        name,
        activated: true,
        doc: JSON.stringify({ name }),
      })
      await trx.run(insertChannel, { ...row, id: 10_000 + at, ...columns, auto_subscribe: false })
      await trx.run(insertPrivateLocation, {
        ...{ id: app.newId(), accountId, slug: `place-${at}`, name: `Place ${at}`, now: 1, doc: '{}' },
      })
    }
  })
}

t.test('one of ten thousand is found and chosen, in each list of a form', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  await withMany(plane)
  const browser = await openBrowser(t)
  for (const javaScriptEnabled of [true, false]) {
    const options = {
      javaScriptEnabled,
      viewport: { width: javaScriptEnabled ? 1280 : 390, height: 844 },
      colorScheme: javaScriptEnabled ? 'light' : 'dark',
    } as const
    const page = await (await signedIn(t, browser, { plane, options })).newPage()
    const find = async (name: string, word: string, found: string): Promise<void> => {
      await page.fill(`[name="find.${name}"]`, word)
      if (!javaScriptEnabled) await page.press(`[name="find.${name}"]`, 'Enter')
      await page.locator(`#f-body-${found}`).first().waitFor({ state: 'attached' })
    }
    await page.goto(`${plane.url}/app/do/post/v1/checks/api`)
    t.ok((await page.content()).length < 150_000, `${(await page.content()).length} bytes`)
    await page.fill('[name="body.name"]', `Shop ${javaScriptEnabled}`)
    await page.fill('[name="body.request.url"]', 'https://shop.example/')
    await find('privateLocations', 'place 777', 'privateLocations [value="place-7777"]')
    await page.check('[name="body.privateLocations[]"][value="place-7777"]')
    const open = async (title: string): Promise<void> => {
      const fold = page.locator(`details:has(> summary b:text-is("${title}"))`)
      if ((await fold.getAttribute('open')) === null) await fold.locator('> summary').click()
    }
    await open('Group and tags')
    await find('groupId', 'team 8888', 'groupId [value="18888"]')
    await open('Group and tags')
    await page.selectOption('#f-body-groupId', { label: 'Team 8888' })
    await open('Whom to tell')
    await page.uncheck('[name="query.autoAssignAlerts"][type=checkbox]')
    await find('alertChannelId', 'person-9999@', 'alertChannelSubscriptions [value="19999"]')
    await open('Whom to tell')
    await page.check('[name="body.alertChannelSubscriptions[]"][value="19999"]')
    t.equal(await overflowOf(page), 0)
    await page.click('button.main')
    await page.waitForURL(/said=created/)
    const [check] = (await plane.call('GET', `/v1/checks?search=Shop+${javaScriptEnabled}`)).body
    t.match(check, {
      ...{ privateLocations: ['place-7777'], groupId: 18_888 },
      alertChannelSubscriptions: [{ alertChannelId: 19_999 }],
    })
    t.equal(check.alertChannelSubscriptions.length, 1)
  }
  const options = { viewport: { width: 390, height: 844 }, bypassCSP: true }
  const page = await (await signedIn(t, browser, { plane, options })).newPage()
  await page.goto(`${plane.url}/app/do/post/v1/checks/api`)
  await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
  t.strictSame(await violationsOf(page), [])
})
