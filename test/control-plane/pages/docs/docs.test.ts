import t from 'tap'
import { curlOf } from '../../../../control-plane/pages/docs/operation.ts'
import { tagsOf } from '../../../../control-plane/pages/docs/read-document.ts'
import { testApp } from '../../../support/app.ts'
import { noChromium, openBrowser } from '../../../support/result-browser.ts'

const browser = { accept: 'text/html' }
const maxBytes = 150 * 1024

t.test('every operation is on a page, every link of a page leads somewhere, no page is large', async (t) => {
  const { call } = await testApp(t)
  const document = (await call('GET', '/openapi.json', { key: null })).body
  const index = await call('GET', '/docs', { key: null, headers: browser })
  t.equal(index.status, 200)
  const texts = new Map([['', index.text]])
  const get = async (path: string): Promise<string> => {
    const { status, text } = await call('GET', `/docs/${path}`, { key: null, headers: browser })
    t.equal(status, 200, path)
    t.ok(text.length <= maxBytes, `${path}: ${text.length} bytes`)
    return text
  }
  for (const [, path = ''] of index.text.matchAll(/href="\/docs\/([\w-]+)"/g))
    texts.set(path, await get(path))
  for (const name of Object.keys(document.components.schemas))
    texts.set(`schemas/${name}`, await get(`schemas/${name}`))
  const all = [...texts.values()].join()
  for (const { operations } of tagsOf(document))
    for (const { id, path } of operations) {
      t.ok(all.includes(` id="${id}"`), id)
      t.ok(index.text.includes(path), `${path} is in the list`)
    }
  t.ok(texts.size > 20, 'and there are pages')
  for (const [slug, text] of texts) {
    for (const [, page = slug, anchor = ''] of text.matchAll(/href="(?:\/docs\/([\w/-]+))?#([\w-]+)"/g))
      if (!texts.get(page)?.includes(` id="${anchor}"`)) t.fail(`${slug} → ${page}#${anchor}`)
    for (const [, page = ''] of text.matchAll(/href="\/docs\/([\w/-]+)"/g))
      if (!texts.has(page)) t.fail(`${slug} → ${page}`)
  }
  t.ok(index.text.length <= maxBytes, `${index.text.length}`)
  t.equal((await call('GET', '/docs/no-such', { key: null, headers: browser })).status, 404)
})

t.test('a curl line is what a shell takes', async (t) => {
  const operation = {
    parameters: [{ in: 'path', name: 'id', example: 'a b' }],
    requestBody: { content: { 'application/json': { example: { name: "it's" } } } },
  }
  const line = curlOf({ method: 'POST', path: '/v1/x/{id}', operation }, 'https://w.example')
  t.match(line, "curl -X POST 'https://w.example/v1/x/a%20b'")
  t.match(line, `"it'\\''s"`)
})

t.test(
  'in a browser: complete without scripts, found by words with them, no overflow at 320 px',
  { skip: noChromium },
  async (t) => {
    const { url } = await testApp(t)
    const chromium = await openBrowser(t)
    const plain = await (await chromium.newContext({ javaScriptEnabled: false })).newPage()
    await plain.setViewportSize({ width: 320, height: 700 })
    await plain.goto(`${url}/docs`)
    t.ok((await plain.locator('[data-words]').count()) > 100)
    const page = await (await chromium.newContext()).newPage()
    const problems: string[] = []
    page.on('console', (message) => problems.push(message.text()))
    await page.setViewportSize({ width: 320, height: 700 })
    for (const path of ['/docs', '/docs/checks', '/docs/check-alerts']) {
      await page.goto(`${url}${path}`)
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      t.ok(width <= 320, `${path}: ${width}`)
    }
    await page.goto(`${url}/docs`)
    await page.fill('#words', 'snooze post')
    const shown = await page.evaluate<number>(
      "document.querySelectorAll('[data-words]:not([hidden])').length",
    )
    t.ok(shown >= 1 && shown < 5, `${shown} are found`)
    t.strictSame(problems, [], 'the policy lets in all that the page needs')
  },
)
