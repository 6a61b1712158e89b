// Runs in test:all only: it opens dozens of pages in a browser.
/** The dashboard in a real Chromium: journeys by mouse, by keyboard alone and without JavaScript; hostile texts; axe in both schemes. */

import t, { type Test } from 'tap'
import { realClock } from '../../../../agent/program/real-io.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { motionOf, violationsOf } from '../../../support/axe.ts'
import { checkWith, setState, signedIn } from '../../../support/dashboard.ts'
import {
  noChromium,
  openBrowser,
  type BrowserPage as Page,
  type ResultBrowser,
} from '../../../support/result-browser.ts'

const openPage = async (
  t: Test,
  browser: ResultBrowser,
  plane: TestApp,
  options: object = {},
): Promise<Page> => (await signedIn(t, browser, { plane, options })).newPage()

/** Whatever the page says wrong on its console: the policy's refusals among it. */
const errorsOf = (page: Page): string[] => {
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  return errors
}

t.test(
  'from the first visit to the first check, and a result appears by itself',
  { skip: noChromium },
  async (t) => {
    const clock = realClock()
    const plane = await testApp(t, { parts: { clock } })
    const page = await openPage(t, await openBrowser(t), plane)
    const errors = errorsOf(page)
    await page.goto(`${plane.url}/app`)
    await page.click('text=Make the first check')
    await page.click('text=URL monitor')
    await page.fill('[name="body.name"]', 'Shop')
    await page.fill('[name="body.request.url"]', 'https://shop.example/')
    await page.check('[name="body.privateLocations[]"]')
    await page.click('button.main')
    await page.waitForURL(/\/app\/checks\/[0-9a-f-]+\?said=created$/)
    t.match(await page.locator('h1').textContent(), 'Shop')
    t.match(await page.locator('[role=status]').textContent(), 'Created.')
    const [check] = (await plane.call('GET', '/v1/checks')).body
    t.match(check, { name: 'Shop', privateLocations: ['local'] })

    await page.goto(`${plane.url}/app`)
    await setState(plane, check.id, 'failing')
    const finished = {
      id: 'r',
      accountId: plane.accountId,
      checkId: check.id,
      checkType: 'URL',
      location: 'local',
    }
    const times = { dueAt: 0, startedAt: 0, stoppedAt: 0, metrics: {}, detail: null }
    // The page opens its stream when it is loaded; what comes before that it has already.
    const tell = (): void =>
      plane.app.finishedRuns.publish([{ ...finished, ...times, isFinal: true, verdict: 'failing' as never }])
    const telling = setInterval(tell, 100)
    t.teardown(() => clearInterval(telling))
    await page.locator('#unwell .failing').first().waitFor()
    clearInterval(telling)
    t.match(await page.locator('#unwell').textContent(), 'Shop')
    t.strictSame(errors, [])
  },
)

t.test('without JavaScript: filters, rows of a form, many at once', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  const page = await openPage(t, await openBrowser(t), plane, { javaScriptEnabled: false })
  for (const name of ['Alpha', 'Beta'])
    await plane.call('POST', '/v1/checks/url', {
      body: { name, request: { url: 'https://a.example/' }, privateLocations: ['local'] },
    })
  await page.goto(`${plane.url}/app/checks`)
  await page.fill('input[type=search]', 'alp')
  await page.click('text=Search')
  t.strictSame(await page.locator('td.main a').allTextContents(), ['Alpha'])
  await page.check('[name="checkIds[]"]')
  await page.click('button[value=pause]')
  t.match(await page.locator('[role=status]').textContent(), 'Saved.')
  t.strictSame(
    (await plane.call('GET', '/v1/checks')).body.map(({ activated }: { activated: boolean }) => activated),
    [false, true],
  )
  await page.goto(`${plane.url}/app/do/post/v1/checks/url`)
  await page.fill('[name="body.name"]', 'Gamma')
  await page.click('text=Add a condition')
  t.equal(await page.locator('[name="body.request.assertions.0.target"]').count(), 1)
  await page.selectOption('[name="body.request.assertions.0.comparison"]', 'EQUALS')
  await page.fill('[name="body.request.assertions.0.target"]', '200')
  await page.click('button.main')
  t.match(await page.locator('#f-body-request-url-error').textContent(), 'needed')
  await page.fill('[name="body.request.url"]', 'https://c.example/')
  await page.check('[name="body.privateLocations[]"]')
  await page.click('button.main')
  await page.waitForURL(/said=created/)
  t.match((await plane.call('GET', '/v1/checks?search=Gamma')).body, [
    { request: { assertions: [{ target: '200' }] } },
  ])
})

t.test('by keyboard alone: past the navigation, to a check, and muted', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  const page = await openPage(t, await openBrowser(t), plane)
  await plane.call('POST', '/v1/checks/url', {
    body: { name: 'Shop', request: { url: 'https://a.example/' }, privateLocations: ['local'] },
  })
  await page.goto(`${plane.url}/app/checks`)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForURL(/#content$/)
  await page.keyboard.press('/')
  await page.keyboard.type('sho')
  await page.keyboard.press('Enter')
  await page.waitForURL(/search=sho/)
  const tabTo = async (found: string): Promise<void> => {
    for (let tabs = 0; tabs < 80; tabs++) {
      await page.keyboard.press('Tab')
      if (await page.evaluate<boolean>(`document.activeElement?.textContent?.trim() === '${found}'`)) return
    }
    t.fail(`${found} is not reached by Tab`)
  }
  await tabTo('Shop')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/app\/checks\/[0-9a-f-]+$/)
  await tabTo('Mute')
  t.not(await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle'), 'none')
  await page.keyboard.press('Enter')
  await page.waitForURL(/said=saved/)
  t.equal((await plane.call('GET', '/v1/checks')).body[0].muted, true)
})

const hostile = [
  '<script>window.owned=1</script>',
  '"><img src=x onerror="window.owned=1">',
  "' onmouseover='window.owned=1",
  '</title><svg onload="window.owned=1">',
  '</textarea><script>window.owned=1</script>',
  'javascript:window.owned=1',
  '&lt;script&gt;window.owned=1&lt;/script&gt;',
  '{{constructor.constructor("window.owned=1")()}}',
  '\u202eevil\u2066',
  '<!--',
  'x'.repeat(250),
]

t.test(
  'names, tags and errors of anybody are texts and nothing else, on every page',
  { skip: noChromium },
  async (t) => {
    const plane = await testApp(t)
    const page = await openPage(t, await openBrowser(t), plane, { viewport: { width: 320, height: 700 } })
    const errors = errorsOf(page)
    const runs: string[] = []
    for (const name of hostile) {
      const tags = [name.slice(0, 60)]
      const ids = await checkWith(plane, {
        name,
        state: 'failing',
        error: name,
        doc: { tags, description: name },
      })
      runs.push(
        `/app/checks/${ids.checkId}`,
        `/app/runs/${ids.checkId}/${ids.resultId}`,
        `/app/do/put/v1/checks/url/${ids.checkId}`,
      )
      await plane.call('POST', '/v1/snippets', { body: { name, script: `// ${name}` } })
      await plane.call('POST', '/v1/status-pages/services', { body: { name } })
    }
    const lists = [
      '/app',
      '/app/checks',
      '/app/snippets',
      '/app/status-pages',
      '/app/do/post/v1/status-pages/incidents',
      `/app/checks?search=${encodeURIComponent(hostile[1] ?? '')}&tag=${encodeURIComponent(hostile[2] ?? '')}`,
    ]
    for (const path of [...lists, ...runs]) {
      await page.goto(`${plane.url}${path}`)
      t.notOk(await page.evaluate<boolean>('"owned" in window'), path)
      t.equal(
        await page.evaluate<number>(
          'document.querySelectorAll("main script, main img, main svg[onload], [onerror], [onmouseover]").length',
        ),
        0,
        path,
      )
      t.ok(await page.evaluate<boolean>('document.documentElement.scrollWidth <= 320'), `${path} fits 320 px`)
      t.equal(
        await page.evaluate<number>(
          `[...document.links].filter(({ protocol }) => protocol === 'javascript:').length`,
        ),
        0,
      )
    }
    t.strictSame(errors, [])
  },
)

t.test('axe finds nothing, in both schemes, wide and narrow', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  const browser = await openBrowser(t)
  const { checkId, resultId } = await checkWith(plane, {
    name: 'Shop',
    state: 'failing',
    error: 'no answer',
    doc: { tags: ['a'] },
  })
  await checkWith(plane, { name: 'Slow', state: 'degraded' })
  await checkWith(plane, { name: 'Fine', state: 'passing' })
  const { body: channel } = await plane.call('POST', '/v1/alert-channels', {
    body: { type: 'EMAIL', config: { address: 'a@example.com' } },
  })
  const { body: service } = await plane.call('POST', '/v1/status-pages/services', { body: { name: 'Shop' } })
  const paths = [
    `/app/services/${service.id}`,
    ...[
      '/app',
      '/app/checks',
      '/app/checks/new',
      `/app/checks/${checkId}`,
      `/app/runs/${checkId}/${resultId}`,
      '/app/check-sessions',
    ],
    ...[
      '/app/locations',
      `/app/locations/${plane.locationId}`,
      '/app/incidents',
      '/app/maintenance',
      '/app/status-pages',
    ],
    ...[
      '/app/channels',
      `/app/channels/${channel.id}`,
      '/app/variables',
      '/app/members',
      '/app/keys',
      '/app/account',
      '/app/data',
    ],
    ...[
      '/app/do/post/v1/checks/api',
      '/app/do/post/v1/alert-channels?type=WEBHOOK',
      '/app/do/post/v1/status-pages/incidents',
      `/app/do/delete/v1/checks/${checkId}`,
    ],
  ]
  const looks = [
    { viewport: { width: 1280, height: 800 }, colorScheme: 'light', reducedMotion: 'no-preference' },
    { viewport: { width: 320, height: 700 }, colorScheme: 'dark', reducedMotion: 'reduce' },
  ]
  for (const look of looks) {
    // The page's policy would refuse the script that looks at it.
    const page = await openPage(t, browser, plane, { ...look, bypassCSP: true })
    for (const path of paths) {
      await page.goto(`${plane.url}${path}`)
      t.strictSame(await violationsOf(page), [], `${path}, ${look.colorScheme}`)
      if (look.reducedMotion === 'reduce') t.strictSame(await motionOf(page), [], `${path} stands still`)
      t.ok(
        await page.evaluate<boolean>(`document.documentElement.scrollWidth <= ${look.viewport.width}`),
        `${path} fits`,
      )
    }
  }
})
