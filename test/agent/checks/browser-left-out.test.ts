// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a browser for each of its scripts.
/** What scripts want of an agent and do not get is said once, and fails nobody. */
import t from 'tap'
import { letChildrenThrough } from '../../support/attempts.ts'
import { browserRoom, cannotBrowse } from '../../support/browser-room.ts'
import { shop } from '../../support/shop.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

process.env['TMPDIR'] = temporaryFolder(t)
letChildrenThrough()

t.test('an agent without ffmpeg, and proxies of scripts', { skip: cannotBrowse() }, async (t) => {
  const { run, status } = await browserRoom(t, { ffmpeg: null })
  const { origin } = await shop(t, 'x')
  t.match(status, {
    videoError: 'there is no ffmpeg; "apt-get install ffmpeg" installs one',
    chromium: { videos: false },
  })
  // Nobody listens there: a request that went that way would fail.
  const proxy = "{ server: 'http://127.0.0.1:9' }"
  const library = `const { chromium, request } = require('playwright')
const browser = await chromium.launch({ proxy: ${proxy}, args: ['--proxy-server=127.0.0.1:9'] })
for (const dir of ['one', 'other']) {
  const context = await browser.newContext({ recordVideo: { dir }, proxy: ${proxy} })
  await (await context.newPage()).goto('${origin}/')
  await context.close()
}
const api = await request.newContext({ proxy: ${proxy} })
expect((await api.get('${origin}/api/orders')).ok()).toBe(true)
await browser.close()`
  const tests = `import { expect, test } from '@playwright/test'
test.use({ video: 'on', proxy: ${proxy} })
test('home', async ({ page, request }) => {
  await page.goto('${origin}/')
  expect((await request.get('${origin}/api/orders')).ok()).toBe(true)
})`
  for (const script of [library, tests]) {
    const { failure, log, files } = await run(script, { attempt: 2 })
    t.equal(failure, null, log)
    t.equal(log.match(/WARN No video was recorded: there is no ffmpeg/g)?.length, 1, log)
    t.equal(log.match(/WARN The script's own proxy was not used/g)?.length, 1, log)
    t.notOk([...files.keys()].some((name) => name.endsWith('.webm')))
    t.ok(
      [...files.keys()].some((name) => name.endsWith('.zip')),
      'a retry that passes keeps its trace',
    )
  }
})
