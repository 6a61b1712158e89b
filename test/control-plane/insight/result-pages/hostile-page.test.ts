// Runs in test:all only: it opens dozens of pages in a browser.
/** What checks, scripts and pages name themselves, on the page of a browser check's result, as a real Chromium reads it. */
import t from 'tap'
import { testApp } from '../../../support/app.ts'
import { failedRun, noChromium, openBrowser, scriptDetail } from '../../../support/result-browser.ts'
import { httpServer } from '../../../support/servers.ts'

t.test(
  'whatever is named stays text, and nothing is asked of anybody else',
  { skip: noChromium },
  async (t) => {
    const evil = await httpServer(t, (_, response) => response.end())
    const plane = await testApp(t)
    Object.assign(plane.app.config, { baseUrl: plane.url })
    const browser = await openBrowser(t)
    const at = plane.app.clock.now()
    const hostile = [
      `<script>window.owned=1</script>`,
      `"><img src="${evil.origin}/x" onerror="window.owned=2">`,
      `'><svg/onload=window.owned=3>`,
      `</title></style></pre></textarea><script src=${evil.origin}/y></script>`,
      `<meta http-equiv=refresh content="0;url=${evil.origin}/z">`,
      `javascript:window.owned=4`,
      `&lt;b&gt;&#60;i&#62;`,
      `\u202egnp.exe\u0000`,
    ]
    for (const [index, words] of hostile.entries()) {
      const detail = scriptDetail(at, {
        ...{ errors: [words], runtimeVersion: words, browserVersion: words },
        failedLine: { path: words, line: 2, firstLine: 1, lines: [words, words] },
        steps: [{ title: words, depth: 0, startedAt: at, durationMs: 3, failed: true }],
        pageErrors: [{ source: 'console', text: words, url: words, line: 1 }],
        pages: [{ url: words, webVitals: { FCP: { score: 'GOOD', value: 1 } } }],
        jobLog: [{ time: at, level: 'ERROR', msg: words }],
      })
      const names = ['.png', '.webm', '.zip', '.har'].map((ending) => words.replaceAll('/', '∕') + ending)
      const kinds = [
        ['screenshot', 'image/png'],
        ['video', 'video/webm'],
        ['trace', 'application/zip'],
        ['file', 'application/json'],
      ] as const
      const files = names.map((name, position) => {
        const [type, contentType] = kinds[position] ?? kinds[0]
        return { name, type, contentType, bytes: Buffer.from('<script>window.owned=5</script>') }
      })
      const log = [{ time: at, level: 'INFO', msg: words }]
      const { link } = await failedRun(plane, { detail, files, name: words, error: words, log })
      for (const javaScriptEnabled of [true, false]) {
        const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 360, height: 640 } })
        const asked: string[] = []
        context.on('request', (request) => asked.push(request.url()))
        const page = await context.newPage()
        await page.goto(link)
        const printed = words.replace('\u202e', '\ufffd').replace('\u0000', '\ufffd')
        for (const selector of ['h1', '.reason', '.source .here', '.steps li', '.console li', '.log li'])
          t.match(
            await page.locator(selector).first().textContent(),
            printed.slice(0, 12),
            `${index} ${selector}`,
          )
        t.equal(
          await page.locator('figcaption').first().textContent(),
          names[0]?.replaceAll(/[\u202e\0]/g, '\ufffd'),
        )
        t.equal(
          await page
            .locator(
              'script:not([src^="/assets/local-times."]), svg[onload], meta[http-equiv], iframe, object, [onerror]',
            )
            .count(),
          0,
        )
        t.equal(await page.locator('.pictures img').count(), 1)
        t.equal(await page.locator('.pictures video').count(), 1)
        t.equal(await page.locator('a.action').count(), 1)
        t.equal(await page.locator('.plain a[download]').count(), 4)
        if (javaScriptEnabled) t.equal(await page.evaluate('window.owned'), undefined)
        t.same(
          asked.filter((url) => !url.startsWith(plane.url)),
          [],
        )
        await context.close()
      }
    }
    t.equal(evil.connections(), 0)
  },
)
