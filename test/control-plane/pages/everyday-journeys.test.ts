// Runs in test:all only: it opens dozens of pages in a browser.
/** What an account does now and then, by clicks alone. */
import { dispatch } from '../../support/alerting.ts'
import { checkWith } from '../../support/dashboard.ts'
import { addPerson } from '../../support/members.ts'
import { act, goTo, journey, said, save, type Way } from '../../support/page-journey.ts'
import { receiver } from '../../support/receiver.ts'
import { makePage } from '../../support/status-page.ts'

journey('a key is made, signs in, and is revoked', async ({ t, plane, page }) => {
  await goTo(page, 'Team and keys', 'Keys')
  await page.click('text=New service key')
  await page.fill('[name="body.name"]', 'deploy')
  await page.selectOption('[name="body.role"]', { index: 1 })
  await save(page)
  await said(page, 'shown this once')
  const key = /wp_[\w-]{43}/.exec((await page.locator('main').textContent()) ?? '')?.[0] ?? ''
  t.equal((await plane.call('GET', '/v1/checks', { key })).status, 200)
  await page.click('text=Go on')
  t.notMatch(await page.locator('main').textContent(), key, 'it is shown once')
  await act(page, 'deploy', 'Delete')
  await save(page)
  await said(page, 'Deleted')
  // A key is remembered for five seconds.
  plane.advance(6000)
  t.equal((await plane.call('GET', '/v1/checks', { key })).status, 401)
})

journey("a member's role is changed, and they are removed", async ({ t, plane, page }) => {
  await addPerson(plane, { email: 'grace@example.com', name: 'Grace', role: 'READ_ONLY' })
  await goTo(page, 'Team and keys')
  await act(page, 'Grace', 'Change role')
  await page.selectOption('[name="body.role"]', 'READ_WRITE')
  await save(page)
  await said(page, 'Saved')
  t.match(await page.locator('main tr:has-text("Grace")').textContent(), /May change/)
  await act(page, 'Grace', 'Remove')
  await save(page)
  await said(page, 'Deleted')
  t.equal(await page.locator('main tr:has-text("Grace")').count(), 0)
})

journey('a variable, a snippet and a group are made, changed and deleted', async ({ t, plane, page }) => {
  const things: ReadonlyArray<{ way: Way; add: string; name: string; change: string }> = [
    { way: ['Secrets and files', 'Variables'], add: 'New variable', name: 'HOST', change: 'value' },
    { way: ['Secrets and files', 'Snippets'], add: 'New snippet', name: 'sign-in', change: 'script' },
    { way: ['Checks', 'Groups'], add: 'New group', name: 'Shop', change: 'concurrency' },
  ]
  for (const { way, add, name, change } of things) {
    await goTo(page, ...way)
    await page.click(`text=${add}`)
    await page.fill(`[name="body.${add === 'New variable' ? 'key' : 'name'}"]`, name)
    if (change !== 'concurrency') await page.fill(`[name="body.${change}"]`, 'one')
    await save(page)
    await page.waitForURL(/said=/)
    await goTo(page, ...way)
    await act(page, name, 'Edit')
    await page.fill(`[name="body.${change}"]`, change === 'concurrency' ? '7' : 'two')
    await save(page)
    await said(page, 'Saved')
    if (change === 'concurrency')
      t.match((await plane.call('GET', '/v1/check-groups')).body, [{ name: 'Shop', concurrency: 7 }])
    if (change === 'script')
      t.match((await plane.call('GET', '/v1/snippets')).body, [{ name: 'sign-in', script: 'two' }])
    await act(page, name, 'Delete')
    await save(page)
    await said(page, 'Deleted')
    t.equal(await page.locator(`main tr:has-text("${name}")`).count(), 0, name)
  }
})

journey('a channel is made, tried and read in the history', async ({ t, plane, page }) => {
  const hook = await receiver(t, () => ({ status: 200 }))
  await checkWith(plane, { name: 'Shop', state: 'passing' })
  await goTo(page, 'Alerts', 'Channels')
  await page.click('text=New channel')
  await page.click('.tiles a:text-is("Webhook")')
  await page.fill('[name="body.config.name"]', 'Hook')
  await page.fill('[name="body.config.url"]', hook.origin)
  await save(page)
  await page.waitForURL(/\/app\/channels\/1\?said=created/)
  await page.locator('main a:text-is("Shop")').first().waitFor()
  await page.click('.actions a:text-is("Test")')
  await save(page)
  await said(page, 'Done')
  await dispatch(plane.app)
  t.ok(hook.received.length > 0, 'a message came')
  await goTo(page, 'Alerts')
  await page.locator('h1').waitFor()
  await page.selectOption('main [name=channel]', { label: 'Webhook Hook' })
  await page.click('main button:text-is("Filter")')
  await page.waitForURL(/channel=1/)
})

journey(
  'a maintenance window is made and deleted; an incident is opened, updated and resolved',
  async ({ t, plane, page }) => {
    await makePage(plane)
    await goTo(page, 'Incidents', 'Maintenance')
    await page.click('text=New window')
    await page.fill('[name="body.name"]', 'Database upgrade')
    await page.fill('[name="body.startsAt"]', '2030-01-01T02:00')
    await page.fill('[name="body.endsAt"]', '2030-01-01T04:00')
    await page.click('label:has-text("Pause all checks")')
    await save(page)
    await page.waitForURL(/said=created/)
    await goTo(page, 'Incidents', 'Maintenance')
    await act(page, 'Database upgrade', 'Delete')
    await save(page)
    await said(page, 'Deleted')

    await goTo(page, 'Incidents')
    await page.click('text=Open an incident')
    await page.fill('[name="body.name"]', 'Payments fail')
    await page.selectOption('[name="body.severity"]', 'MINOR')
    await page.locator('[name="body.services[]"]').first().check()
    await page.fill('[name="body.incidentUpdates.0.description"]', 'We look into it.')
    await save(page)
    await page.waitForURL(/\/app\/incidents\/.*said=created/)
    await goTo(page, 'Incidents')
    await act(page, 'Payments fail', 'Post an update')
    await page.fill('[name="body.description"]', 'It works again.')
    await page.selectOption('[name="body.status"]', 'RESOLVED')
    await save(page)
    await page.waitForURL(/said=/)
    const [incident] = (await plane.call('GET', '/v1/status-pages/incidents')).body.entries
    t.match(incident, { name: 'Payments fail', lastUpdateStatus: 'RESOLVED' })
  },
)

journey('a location says how its agents are started, ready to copy', async ({ t, plane, page }) => {
  await goTo(page, 'Locations')
  await page.click('text=New location')
  await page.fill('[name="body.name"]', 'Frankfurt')
  await page.fill('[name="body.slugName"]', 'frankfurt')
  await save(page)
  await said(page, 'shown this once')
  await page.click('text=Go on')
  await page.click('main a:text-is("Frankfurt")')
  const lines = (await page.locator('main .copied, main pre').allTextContents()).join('\n')
  for (const way of ['helm', 'docker', 'systemctl']) t.match(lines, way)
  t.match(lines, plane.app.config.baseUrl)
})

journey('reports, badges and the audit log are read', async ({ t, plane, page }) => {
  await checkWith(plane, { name: 'Shop', state: 'failing', error: 'status 500', doc: { tags: ['eu'] } })
  await goTo(page, 'Reports')
  await page.selectOption('main [name=period]', { index: 1 })
  await page.click('main button:text-is("Show")')
  await page.locator('main a:text-is("Shop")').first().waitFor()
  await goTo(page, 'Status pages', 'Badges')
  await page.click('text=Turn them on in the settings of the account')
  await page.locator('form.form').waitFor()
  await goTo(page, 'Secrets and files', 'Variables')
  await page.click('text=New variable')
  await page.fill('[name="body.key"]', 'HOST')
  await page.fill('[name="body.value"]', 'shop.example')
  await save(page)
  await page.waitForURL(/said=/)
  await goTo(page, 'Audit log')
  await page.locator('main li:has-text("Ada"):has-text("HOST")').first().waitFor()
  await page.selectOption('main [name=actorId]', { label: 'Ada' })
  await page.click('main button:text-is("Filter")')
  await page.waitForURL(/actorId=/)
  t.match(await page.locator('main').textContent(), 'HOST')
})

journey('whoever signs out is asked to sign in', async ({ t, plane, page }) => {
  await goTo(page, 'Profile', 'Signed in')
  t.match(await page.locator('main').textContent(), '127.0.0.1')
  await page.click('header button:text-is("Sign out")')
  await page.waitForURL(/\/sign-in/)
  await page.goto(`${plane.url}/app`)
  await page.waitForURL(/\/sign-in\?next=/)
})
