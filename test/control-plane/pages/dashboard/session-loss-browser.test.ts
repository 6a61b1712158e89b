// Runs in test:all only: it opens every form in a browser.
/** Whatever form somebody fills in while their session ends: what was typed is there again once they have signed in, and no secret was kept. */
import t from 'tap'
import { type Schema, variantsOf } from '../../../../control-plane/pages/dashboard/forms/fields.ts'
import { createInternalClient } from '../../../../control-plane/pages/dashboard/internal-client.ts'
import { operationsWithPage } from '../../../../control-plane/pages/dashboard/operations.ts'
import { routes } from '../../../../control-plane/routes.ts'
import { signedIn } from '../../../support/dashboard.ts'
import { type BrowserPage, noChromium, openBrowser } from '../../../support/result-browser.ts'
import { until } from '../../../support/until.ts'
import { testWorld } from '../../../support/world.ts'

const word = 'typed by hand'

/** Puts it into each text that is shown, and says which; what may be secret gets another. */
const fill = (page: BrowserPage): Promise<{ kept: string[]; secret: string[] }> =>
  page.evaluate(`(() => {
    for (const each of document.querySelectorAll('.form details')) each.open = true
    const kept = [], secret = []
    for (const each of document.querySelectorAll('.form :is(input:not([type]),input[type=text],input[type=password],textarea)')) {
      const isSecret = each.type === 'password' || /(headers|ariables)[.]\\d+[.]value$/.test(each.name)
      each.value = isSecret ? 'hunter2-hunter2' : ${JSON.stringify(word)}
      ;(isSecret ? secret : kept).push(each.name)
    }
    return { kept, secret }
  })()`)

const textsIn = (page: BrowserPage, names: readonly string[]): Promise<(string | null)[]> =>
  page.evaluate(
    `${JSON.stringify(names)}.map((name) => document.querySelector('.form [name=' + CSS.escape(name) + ']')?.value ?? null)`,
  )

const textIn = async (page: BrowserPage, name: string): Promise<string | null> =>
  (await textsIn(page, [name]))[0] ?? null

t.test('every form survives a session that ends, without what is secret', { skip: noChromium }, async (t) => {
  const world = await testWorld(t)
  const { plane } = world
  await world.complete(routes)
  const context = await signedIn(t, await openBrowser(t), { plane })
  const page = await context.newPage()
  let forms = 0
  for (const { name, route } of operationsWithPage(createInternalClient(routes))) {
    if (route.body === undefined || route.method === 'DELETE') continue
    const variants = route.method === 'PUT' ? null : variantsOf(route.body as Schema)
    const query = variants === null ? '' : `?${variants.by}=${variants.values[0]}`
    const path = `/app/do/${route.method.toLowerCase()}${await world.address(route)}${query}`
    await page.goto(`${plane.url}${path}`)
    const { kept, secret } = await fill(page)
    if (kept.length === 0) continue
    forms++
    const cookies = await context.cookies()
    await context.clearCookies()
    await page.click('.savebar button.main')
    await page.waitForURL(/\/sign-in\?next=/)
    const next = new URL(page.url()).searchParams.get('next') ?? ''
    t.equal(next, path, `${name}: the way back`)
    t.notMatch(await page.evaluate<string>('JSON.stringify(sessionStorage)'), 'hunter2', name)
    // Whoever signs in is led on to where they were.
    await context.addCookies(cookies)
    await page.goto(`${plane.url}${next}`)
    await until('it was taken from where it was kept', () =>
      page.evaluate<boolean>('sessionStorage.length === 0'),
    )
    const [first = ''] = kept
    await until('what was typed is there again', async () => (await textIn(page, first)) === word)
    const texts = await textsIn(page, kept)
    t.strictSame(
      kept.filter((_, at) => texts[at] !== word),
      [],
      name,
    )
    for (const [at, text] of (await textsIn(page, secret)).entries())
      t.equal(text, '', `${name}: ${secret[at]} is asked for again`)
  }
  t.ok(forms > 40, `${forms} forms`)
})

t.test(
  'values of headers that are stored stay, in rows that are still theirs',
  { skip: noChromium },
  async (t) => {
    const { plane } = await testWorld(t)
    const headers = ['x-shop', 'x-blog'].map((key) => ({ key, value: `value of ${key}` }))
    const { body: check } = await plane.call('POST', '/v1/checks/api', {
      body: { name: 'Shop', request: { method: 'GET', url: 'https://shop.example/', headers } },
    })
    const context = await signedIn(t, await openBrowser(t), { plane })
    const page = await context.newPage()
    const address = `${plane.url}/app/do/put/v1/checks/api/${check.id}`
    await page.goto(address)
    await page.fill('[name="body.name"]', 'Shop of Ada')
    await page.click('summary:has-text("Headers and body")')
    await page.fill('[name="body.request.headers.1.key"]', 'x-news')
    const cookies = await context.cookies()
    await context.clearCookies()
    await page.click('.savebar button.main')
    await page.waitForURL(/\/sign-in\?next=/)
    await context.addCookies(cookies)
    await page.goto(address)
    await until(
      'what was typed is there again',
      async () => (await textIn(page, 'body.name')) === 'Shop of Ada',
    )
    t.equal(await textIn(page, 'body.request.headers.0.value'), 'value of x-shop')
    t.equal(await textIn(page, 'body.request.headers.1.value'), '', "this one was somebody else's")
  },
)
