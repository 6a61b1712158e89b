// Runs in test:all only: it opens dozens of pages in a browser.
/** A status page in a real browser: accessibility in both schemes, keyboard alone, no script, narrow, hostile words. */
import t from 'tap'
import { type TestApp, testApp } from '../../../support/app.ts'
import { motionOf, violationsOf } from '../../../support/axe.ts'
import {
  noChromium,
  openBrowser,
  type ResultBrowser,
  type BrowserPage as Tab,
} from '../../../support/result-browser.ts'
import { shownPage, tell } from '../../../support/shown-page.ts'
import { until } from '../../../support/until.ts'

const options = { timeout: 300_000, skip: noChromium }

type Look = { width?: number; scheme?: 'light' | 'dark'; script?: boolean; reduced?: boolean }

const look = async (
  browser: ResultBrowser,
  { width = 1280, scheme = 'light', script = true, reduced = false }: Look = {},
): Promise<{ tab: Tab; said: string[] }> => {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: scheme,
    javaScriptEnabled: script,
    reducedMotion: reduced ? 'reduce' : 'no-preference',
  })
  const tab = await context.newPage()
  const said: string[] = []
  tab.on('console', (message) => said.push(message.text()))
  return { tab, said }
}

const at = ({ url }: TestApp, path = ''): string => `${url}/status/acme${path}`

t.test('axe finds nothing, in either scheme, wide or narrow', options, async (t) => {
  const plane = await testApp(t)
  const { incidents } = await shownPage(plane)
  const browser = await openBrowser(t)
  for (const scheme of ['light', 'dark'] as const)
    for (const width of [1280, 320]) {
      const { tab, said } = await look(browser, { scheme, width })
      for (const path of ['', '/history', `/incidents/${incidents[0]}`, '/embed']) {
        await tab.goto(at(plane, path))
        if (path === '') await tab.evaluate(`document.querySelector('#subscribe details').open = true`)
        t.same(await violationsOf(tab), [], `${path} ${scheme} ${width}`)
        const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
        if (path !== '/embed') t.equal(await tab.evaluate(overflow), 0, `${path} fits ${width}`)
      }
      t.same(said, [], 'the policy refused nothing')
    }
  const { tab } = await look(browser)
  await plane.call(
    'PUT',
    `/v1/status-pages/${(await plane.call('GET', '/v1/status-pages')).body.entries[0].id}`,
    {
      body: { name: 'Acme', url: 'acme', cards: [], isPrivate: true },
    },
  )
  plane.advance(1500)
  await tab.goto(at(plane))
  t.same(await violationsOf(tab), [], 'the form before a private page')
})

t.test('by keyboard alone: along the bars, to the days, into the form', options, async (t) => {
  const plane = await testApp(t)
  await shownPage(plane)
  const { tab } = await look(await openBrowser(t))
  await tab.goto(at(plane))
  const focused = (what: string) => tab.evaluate<string>(`String(document.activeElement?.${what})`)
  await tab.keyboard.press('Tab')
  t.match(await focused('hash'), '#services', 'past everything at once')
  await tab.evaluate(`document.querySelector('.bars[role]').focus()`)
  await tab.keyboard.press('ArrowLeft')
  t.match(await focused('title'), /no incidents|incident/, 'the latest day first')
  t.equal(await focused('hash'), '#d89')
  await tab.keyboard.press('ArrowLeft')
  t.equal(await focused('hash'), '#d88')
  await tab.keyboard.press('Home')
  t.equal(await focused('hash'), '#d0')
  await tab.keyboard.press('Enter')
  t.equal(await tab.evaluate(`document.querySelector('.days').open`), true)
  await tab.keyboard.press('Tab')
  t.equal(await focused(`closest('.bars')`), 'null', 'and goes on there')
  await tab.fill('input[name=address]', 'ada@example.com')
  await tab.keyboard.press('Enter')
  // While the page is on its way there is nothing to look at.
  const text = () => tab.evaluate<string>('document.body.innerText').catch(() => '')
  await until('the answer', async () => /Look into your mailbox/.test(await text()))
})

t.test('without a script it is complete', options, async (t) => {
  const plane = await testApp(t)
  await shownPage(plane)
  const { tab } = await look(await openBrowser(t), { script: false, width: 320, reduced: true })
  await tab.goto(at(plane, '#d3'))
  t.same(await motionOf(tab), [], 'nothing moves for who wants less motion')
  const text = await tab.evaluate<string>('document.body.innerText')
  t.match(text, /Some systems are degraded/)
  t.match(text, /11 Apr 2026, 09:36 UTC/)
  t.notMatch(text, /Show times/, 'there is no button that does nothing')
  t.equal(await tab.evaluate(`document.querySelector('.days').open`), true, 'a bar opens the list of days')
})

t.test('what changes is shown to who is looking, and read out', options, async (t) => {
  const plane = await testApp(t)
  const { services } = await shownPage(plane, { isQuiet: true })
  const { tab } = await look(await openBrowser(t))
  await tab.goto(at(plane))
  const heading = () => tab.evaluate<string>(`document.querySelector('h1').textContent`)
  t.equal(await heading(), 'All systems are operational')
  await tab.evaluate(`document.querySelector('h1').same = true`)
  const story = {
    name: 'It burns',
    severity: 'CRITICAL',
    services,
    daysAgo: 0,
    hours: null,
    texts: ['Smoke.'],
  }
  await tell(plane, story)
  const { liveTick } = await import('../../../../control-plane/pages/status/live-streams.ts')
  await until('the news', async () => {
    plane.advance(1500)
    await liveTick(plane.app)
    return (await heading()) === 'There is a major outage'
  })
  t.equal(
    await tab.evaluate(`document.querySelector('h1').same`),
    true,
    'the same element, whose words are read out',
  )
  t.match(await tab.evaluate('document.body.innerText'), /It burns/)
})

const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '\u202egnp.exe\u202c',
  '</title></svg><style>*{display:none}</style>',
  'x'.repeat(250),
  '𝕏\u0300'.repeat(80),
  "javascript:alert('1')",
  '$' + '{alert(1)} {{7*7}} &lt;b&gt;',
]

t.test('hostile names and texts are words', options, async (t) => {
  const plane = await testApp(t)
  const { services } = await shownPage(plane, {
    names: hostile,
    services: hostile.length,
    isQuiet: true,
    more: { name: hostile[0], description: hostile[1] },
  })
  for (const [index, name] of hostile.entries())
    await tell(plane, {
      name,
      severity: 'MINOR',
      services: [services[index] ?? ''],
      daysAgo: index * 3,
      hours: index === 0 ? null : 1,
      texts: [name, `${name}\n${hostile[0]}`],
    })
  plane.advance(1500)
  const { tab, said } = await look(await openBrowser(t), { width: 320 })
  tab.on('dialog', () => said.push('a dialog'))
  for (const path of ['', '/history']) {
    await tab.goto(at(plane, path))
    t.same(
      await tab.evaluate(
        `[...document.querySelectorAll('script')].map((each) => new URL(each.src).pathname.slice(0, 15))`,
      ),
      ['/assets/status.'],
    )
    t.equal(
      await tab.evaluate(`document.querySelectorAll('img, style:not(head style), [onerror]').length`),
      0,
    )
    t.equal(await tab.evaluate('document.documentElement.scrollWidth'), 320, 'however long, it fits')
    t.notMatch(await tab.evaluate<string>('document.body.innerText'), /\u202e/)
  }
  t.same(said, [])
})
