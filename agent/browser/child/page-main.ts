/**
 * The program inside the process of a page that is driven from outside (`agent/browser/drive-page.ts`): loads Playwright while nobody
 * waits, reads its task, opens the browser, and does what it is told, one command after the other. It knows no secret but those
 * that it is told to fill in, and nobody trusts what comes out.
 */
import { createReadStream, mkdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { PageCommand, PageEvent, PageTask } from '../page-task.ts'
import { runFiles } from '../run-files.ts'
import { hookNetwork, prepareProcess, requireIn } from './browser-process.ts'
import { actOn, NotDone, nothing } from './page-acts.ts'
import { guardOrigins } from './page-origins.ts'
import type { DrivenContext } from './page-types.ts'
import type { PlaywrightLibrary } from './playwright-types.ts'

const { process } = globalThis
const folder = process.cwd()
const output = join(folder, 'tmp', runFiles.output)
const egressProxyPort = Number(process.env['WATCHPOST_EGRESS_PROXY_PORT'])

const send = (event: PageEvent): void => {
  writeSync(3, `${JSON.stringify(event)}\n`)
}

hookNetwork(egressProxyPort)
const { chromium } = requireIn(folder)('playwright') as PlaywrightLibrary
const lines = createInterface({ input: createReadStream('', { fd: 0 }) })[Symbol.asyncIterator]()
const first = await lines.next()
// Nobody had a task for it.
if (first.done === true) process.exit(0)
const { origins, ...task } = JSON.parse(String(first.value)) as PageTask
mkdirSync(output, { recursive: true })
prepareProcess({
  folder,
  egressProxyPort,
  task: { ...task, secretNames: [], traces: true, style: 'library' },
})
send({ type: 'started' })
const browser = await chromium.launch()
const options = { acceptDownloads: false, serviceWorkers: 'block' }
// Of Playwright's context, what is driven has types of its own (page-types.ts).
const context = (await browser.newContext(options as object)) as unknown as DrivenContext
const guard = await guardOrigins(context, origins)

for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
  const { id, ...act } = JSON.parse(line.value) as PageCommand
  try {
    send({ type: 'answer', id, ...(await actOn(act, { guard, output })) })
  } catch (error) {
    const left = guard.takeRefused()
    const problem = left.length === 0 ? wordsOf(error) : `It was not let to ${left.join(', ').slice(0, 500)}`
    send({ type: 'answer', id, ...nothing, problem, refused: left.length > 0 })
  }
}
await browser.close()
send({ type: 'ended' })
process.exit(0)

/** Of Playwright's own words the first line says what went wrong. */
function wordsOf(error: unknown): string {
  const { message } = error as Error
  return (error instanceof NotDone ? message : (message.split('\n')[0] ?? '')).slice(0, 2000)
}
