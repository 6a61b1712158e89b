// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts processes of Node, and a browser, for each of its scripts.
/** What browser and multi-step checks that fail leave behind, whatever they say of traces; those that pass leave nothing of it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readZip } from '../../../agent/browser/zip.ts'
import { letChildrenThrough } from '../../support/attempts.ts'
import { browsingRuntimes, sharedRoom } from '../../support/browser-room.ts'
import { openTrace } from '../../support/playwright-trace.ts'
import { shop } from '../../support/shop.ts'
import { encodedSpellings } from '../../support/spellings.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const folder = temporaryFolder(t)
process.env['TMPDIR'] = folder
letChildrenThrough()

const secret = 'pass word/4711+é'
const variables = [{ key: 'PASSWORD', value: secret, secret: true }]

const room = sharedRoom(t)

for (const { id: runtimeId, skip } of browsingRuntimes())
  t.test(`evidence, in ${runtimeId}`, { skip }, async (t) => {
    const { run } = await room()
    const { origin } = await shop(t, secret)

    const program = (expected: number) => `const { request } = require('playwright')
const api = await request.newContext({ baseURL: '${origin}' })
const answer = await api.post('/api/orders', {
  headers: { authorization: 'Bearer of-nobody', 'x-shop': 'mine' },
  data: { item: 'Chair', password: process.env.PASSWORD },
})
await api.dispose()
expect(answer.status()).toBe(${expected})`

    /** As a file of tests, one of which passes, and as a program that puts its context away before it fails. */
    const styles = {
      tests: `import { expect, test } from '@playwright/test'
for (const expected of [200, 201]) test('answers ' + expected, async ({ request }) => {
  const answer = await request.post('${origin}/api/orders', {
    headers: { authorization: 'Bearer of-nobody', 'x-shop': 'mine' },
    data: { item: 'Chair', password: process.env.PASSWORD },
  })
  expect(answer.status()).toBe(expected)
})`,
      program: program(201),
    }
    const change = { runtimeId, variables, checkType: 'MULTI_STEP' } as const

    await t.test('multi-step checks that pass leave no requests and answers', async (t) => {
      const passed = await run(program(200), change)
      t.equal(passed.failure, null)
      t.notOk([...passed.files.keys()].some((name) => name.endsWith('.zip')))
    })

    for (const [style, script] of Object.entries(styles))
      await t.test(`multi-step checks leave their requests and answers: ${style}`, async (t) => {
        const { failure, detail, files } = await run(script, change)
        t.match(failure?.message, /Received: 200/)
        t.equal(detail.errors.length, 1)
        const names = [...files.keys()].filter((name) => name.endsWith('.zip'))
        t.equal(names.length, 1, `of what failed alone: ${names.join()}`)
        const bytes = files.get(names[0]!)!
        const path = join(folder, 'opened.zip')
        writeFileSync(path, bytes)
        const { resources } = await openTrace(path)
        t.match(resources, [{ request: { url: `${origin}/api/orders` }, response: { status: 200 } }])
        const { headers } = resources[0]!.request
        t.equal(headers.find(({ name }) => name.toLowerCase() === 'x-shop')?.value, 'mine')
        t.equal(headers.find(({ name }) => name.toLowerCase() === 'authorization')?.value, '[secret]')
        const parts = readZip(bytes, 1e9).map((one) => one.bytes.toString('latin1'))
        t.ok(parts.includes('{"item":"Chair","password":"[secret]"}'), 'what was sent')
        t.ok(
          parts.some((part) => part.startsWith('{"orders":3')),
          'what was answered',
        )
        for (const form of [secret, ...encodedSpellings.map(({ write }) => write(secret))])
          t.notOk(
            parts.some((part) => part.includes(Buffer.from(form).toString('latin1'))),
            form,
          )
      })

    await t.test(
      'a test that wants no trace leaves one when it fails, and none when it passes',
      async (t) => {
        const script = `import { test } from '@playwright/test'
test.use({ trace: 'on-first-retry' })
for (const [selector, timeout] of [['body', 30000], ['#nobody', 300]])
  test(selector, async ({ page }) => {
    await page.goto('${origin}/')
    await page.click(selector, { timeout })
  })`
        const { failure, files } = await run(script, { runtimeId })
        t.match(failure?.message, /#nobody/)
        const names = [...files.keys()].filter((name) => name !== 'report.json').toSorted()
        t.match(names, [/nobody-test-failed-1\.png$/, /nobody-trace\.zip$/])
        const network = readZip(files.get(names[1]!)!, 1e9).find(({ name }) => name.endsWith('.network'))
        t.match(network?.bytes.toString(), `${origin}/`)
      },
    )
  })
