// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a browser, and packs files of hundreds of megabytes.
/** What a test attaches beyond the limit of a file is named as dropped, and costs neither the trace nor the other files. */
import t from 'tap'
import { readZip } from '../../../agent/browser/zip.ts'
import { maxArtifactBytes } from '../../../protocol/artifact.ts'
import { letChildrenThrough } from '../../support/attempts.ts'
import { browserRoom, cannotBrowse } from '../../support/browser-room.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

process.env['TMPDIR'] = temporaryFolder(t)
letChildrenThrough()

const script = `import { expect, test } from '@playwright/test'
import { randomFillSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
test('fails', async ({ page }, info) => {
  const path = info.outputPath('dump.pdf')
  writeFileSync(path, randomFillSync(Buffer.alloc(${maxArtifactBytes} + 1024 * 1024)))
  await info.attach('the dump', { path, contentType: 'application/pdf' })
  const note = info.outputPath('note.txt')
  writeFileSync(note, 'short')
  await info.attach('a note', { path: note })
  await page.setContent('<h1>here</h1>')
  await expect(page.locator('nav')).toBeVisible({ timeout: 100 })
})`

t.test('one attachment of 151 MB', { skip: cannotBrowse() }, async (t) => {
  const { run } = await browserRoom(t)
  const { failure, files, log } = await run(script, { deadlineMs: 240_000 })
  t.match(failure?.message, /toBeVisible/)
  const names = [...files.keys()]
  const [traceName = ''] = names.filter((name) => name.endsWith('.zip'))
  const trace = files.get(traceName)
  t.ok(trace, log)
  if (trace === undefined) return
  t.ok(trace.length < 10 * 1024 * 1024)
  t.ok(readZip(trace, 1e9).some(({ name }) => name.endsWith('.trace')))
  t.match(
    log,
    /WARN Not kept: \S*dump\S*\.pdf \(151\.0 MB\).*; a run may leave 200 files, each of at most 150 MB/,
  )
  t.ok(
    names.some((name) => name.endsWith('.txt')),
    'the other attachment is kept',
  )
  t.notOk(names.some((name) => name.endsWith('.pdf')))
})
