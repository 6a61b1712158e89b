// Runs in test:all only: it opens dozens of pages in a browser.
/** By clicks alone: what visitors read is edited, client certificates are kept, what is seen leaves as a file or a picture, and each role sees what is theirs. */
import { testApp } from '../../support/app.ts'
import { createAuthority } from '../../support/certificates.ts'
import { checkWith } from '../../support/dashboard.ts'
import { runsIn } from '../../support/length.ts'
import {
  act,
  goTo,
  journey,
  journeyFrom,
  journeyLooks,
  said,
  save,
  textOf,
} from '../../support/page-journey.ts'

journey(
  'a status page gets services, checks, languages and texts of its owner',
  async ({ t, plane, page }) => {
    await checkWith(plane, { name: 'Cart', state: 'passing' })
    await goTo(page, 'Status pages')
    await page.click('text=New service')
    await page.fill('[name="body.name"]', 'Storefront')
    await save(page)
    await page.waitForURL(/\/app\/services\/.*said=created/)
    const service = page.url()
    await page.fill('main input[name=search]', 'cart')
    await page.click('button:text-is("Find")')
    await page.waitForURL(/search=cart/)
    await page.click('label:has-text("Cart")')
    await page.click('text=Add those that are ticked')
    await page.locator('#checks td.main a:text-is("Cart")').waitFor()

    await goTo(page, 'Status pages')
    await page.click('text=New status page')
    await page.fill('[name="body.name"]', 'Acme')
    await page.fill('[name="body.url"]', 'acme')
    await page.fill('[name="body.cards.0.name"]', 'Shop')
    await page.check('[name="body.cards.0.services[]"]')
    await save(page)
    await page.waitForURL(/\/app\/status-pages\/.*said=created/)
    await page.click('text=Password, networks, frames')
    await page.check('[name="body.languages[]"][value=en]')
    await page.check('[name="body.languages[]"][value=de]')
    await save(page)
    await page.waitForURL(/said=saved/)
    await page.goto(service)
    await page.click('.actions a:text-is("Edit")')
    await page.click('summary:has-text("In other languages")')
    await page.locator('details.translations input:visible').first().fill('Schaufenster')
    await save(page)
    await page.waitForURL(/said=saved/)

    plane.advance(2000)
    await goTo(page, 'Status pages')
    await page.click('main a:text-is("Acme")')
    await page.context().setExtraHTTPHeaders({ 'accept-language': 'de' })
    await page.click('main a[href="/status/acme"]')
    await page.locator('text=Schaufenster').first().waitFor()
    t.equal(await page.getAttribute('html', 'lang'), 'de')
    t.match(await textOf(page, 'body'), /Schaufenster/)
  },
)

journey('a client certificate is given by form, and its key is not shown again', async ({ t, page }) => {
  const { cert, key } = createAuthority().issue({ altName: 'DNS:shop.example' })
  await goTo(page, 'Secrets and files', 'Certificates')
  await page.click('.actions a')
  await page.fill('[name="body.host"]', 'shop.example')
  await page.fill('[name="body.cert"]', cert)
  await page.fill('[name="body.key"]', 'no key')
  await save(page)
  await page.locator('[role=alert]').first().waitFor()
  t.equal(await page.inputValue('[name="body.host"]'), 'shop.example', 'what was typed stays')
  await page.fill('[name="body.cert"]', cert)
  await page.fill('[name="body.key"]', key)
  await save(page)
  await page.waitForURL(/said=/)
  await goTo(page, 'Secrets and files', 'Certificates')
  const list = await page.content()
  t.match(list, 'shop.example')
  t.notMatch(list, key.split('\n')[1], 'the key is kept')
  await act(page, 'shop.example', 'Delete')
  await save(page)
  await said(page, 'Deleted')
})

journey('badges are built, lists and reports leave as files', async ({ t, plane, page }) => {
  await checkWith(plane, { name: 'Shop', state: 'passing' })
  await goTo(page, 'Status pages', 'Badges')
  await page.click('text=Turn them on in the settings of the account')
  await page.check('[name="body.settings.badgesEnabled"][type=checkbox]')
  await save(page)
  await page.waitForURL(/said=saved/)
  await goTo(page, 'Status pages', 'Badges')
  await page.selectOption('main [name=of]', { label: 'Shop' })
  await page.selectOption('main [name=style]', { label: 'Large' })
  await page.click('main button:text-is("Show")')
  await page.waitForURL(/of=check/)
  const width = await page
    .locator('main img')
    .evaluate((img) => (img as unknown as { decode(): Promise<void>; naturalWidth: number }).naturalWidth)
  t.ok(width > 0, 'it is shown')
  t.match(await textOf(page, 'main .copied'), /!\[Shop\]\(http.*style=for-the-badge/)

  for (const [place, link, has] of [
    ['Checks', 'CSV', 'Shop'],
    ['Reports', 'CSV', 'Shop'],
  ] as const) {
    await goTo(page, place)
    const menu = page.locator('summary:text-is("Export")')
    if ((await menu.count()) > 0) await menu.click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click(`main a:text-is("${link}")`),
    ])
    const chunks: Buffer[] = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
    t.match(Buffer.concat(chunks).toString(), has, place)
  }
})

const places = [
  ...['Overview', 'Checks', 'Incidents', 'Status pages', 'Alerts', 'Reports', 'Locations'],
  ...['Team and keys', 'Secrets and files', 'Account', 'Audit log', 'Profile'],
]

/** Least first: what each sees beside what those before it see. */
const seen = [
  { role: 'READ_ONLY', missing: ['Audit log'], buttons: [] },
  { role: 'READ_RUN', missing: ['Audit log'], buttons: ['Run now'] },
  { role: 'READ_WRITE', missing: ['Audit log'], buttons: ['Run now', 'Edit', 'Pause', 'Mute', 'Delete'] },
  { role: 'OWNER', missing: [], buttons: ['Run now', 'Edit', 'Pause', 'Mute', 'Delete'] },
] as const

/** Who sees what does not depend on scripts: the owner walks in each way, the others by turns. */
const looksOf = (role: string, at: number) =>
  role === 'OWNER' || runsIn('long') ? journeyLooks : journeyLooks.slice(at % 2, (at % 2) + 1)

for (const [at, { role, missing, buttons }] of seen.entries())
  journeyFrom(
    `every place is a click away, and the menu says which it is, for ${role}`,
    { role, open: (t) => testApp(t), looks: looksOf(role, at) },
    async ({ t, plane, page }) => {
      await checkWith(plane, { name: 'Shop', state: 'passing' })
      for (const place of places) {
        plane.advance(1500)
        if ((missing as readonly string[]).includes(place)) {
          t.equal(await page.locator(`.side a:has-text("${place}")`).count(), 0, `${place} is not offered`)
          continue
        }
        await goTo(page, place)
        await page.locator('h1').waitFor()
        t.match(await textOf(page, '.side a[aria-current]'), place)
        t.match(await textOf(page, '.side summary'), place, 'the closed menu says it, too')
      }
      await goTo(page, 'Checks')
      await page.click('main a:text-is("Shop")')
      await page.locator('h1:text-is("Shop")').waitFor()
      const offered = (await page.locator('.head .actions :is(a, button)').allTextContents()).map((word) =>
        word.trim(),
      )
      t.strictSame(offered, [...buttons], role)
    },
  )
