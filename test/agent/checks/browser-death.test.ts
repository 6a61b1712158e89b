// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a browser for each of its scripts.
/** Browsers that die under their scripts: of a signal from outside, of a crash, and of what a script did itself. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import t from 'tap'
import { letChildrenThrough } from '../../support/attempts.ts'
import { cannotBrowse, leftFolders, sharedRoom } from '../../support/browser-room.ts'
import { runsIn } from '../../support/length.ts'
import { httpServer } from '../../support/servers.ts'
import { suiteRoom } from '../../support/suite-room.ts'
import { temporaryFolder } from '../../support/test-agent.ts'
import { until } from '../../support/until.ts'

process.env['TMPDIR'] = temporaryFolder(t)
letChildrenThrough()

const skip = cannotBrowse()

const commandOf = (pid: string): string[] => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    // It has just ended.
    return []
  }
}

/** Command lines name no folder of a run. */
const folderOf = (pid: string): string => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    // It has just ended.
    return ''
  }
}

/** The Chromium, not its helpers, that works in a folder of this test. */
const chromiums = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const args = commandOf(pid)
      return (
        args.some((arg) => arg.startsWith('--user-data-dir=')) &&
        folderOf(pid).startsWith(`${tmpdir()}/`) &&
        !args.some((arg) => arg.startsWith('--type='))
      )
    })
    .map(Number)

/** A target whose answer never ends; once it is asked there is a browser, which `signal` ends. */
const killing = async (t: Parameters<typeof httpServer>[0], signal: NodeJS.Signals) => {
  let asked = 0
  const { origin } = await httpServer(t, (_, response) => {
    asked += 1
    response.write('<p>so far')
  })
  const killOne = async (): Promise<void> => {
    const before = asked
    await until('the page is asked for', () => asked > before)
    const [pid] = chromiums()
    if (pid === undefined) throw new Error('there is no Chromium')
    process.kill(pid, signal)
  }
  return { origin, killOne }
}

const program = (url: string, more = ''): string => `const { chromium } = require('playwright')
const run = async () => {
  const browser = await chromium.launch()
  const page = await browser.newPage()
  ${more}
  await page.goto('${url}')
}
run()`

const tests = (
  url: string,
  act = `await page.goto('${url}')`,
): string => `import { test } from '@playwright/test'
test('a page', async ({ page }) => { ${act} })`

const room = sharedRoom(t)

t.test('Chromium that is ended from outside could not run', { skip }, async (t) => {
  const { attempt } = await room()
  for (const signal of ['SIGKILL', 'SIGSEGV'] as const)
    for (const script of signal === 'SIGKILL' || runsIn('long') ? [program, tests] : [program]) {
      const { origin, killOne } = await killing(t, signal)
      const [{ outcome }] = await Promise.all([attempt(script(origin)), killOne()])
      t.match(outcome, {
        kind: 'could-not-run',
        reason: new RegExp(
          `^Chromium was ended by ${signal} when its run used \\d+ MB of the 2048 MB .*What was seen: The script failed`,
          's',
        ),
      })
    }
  t.same(leftFolders(), [])
})

t.test(
  'a page that crashes could not run, and what a script ends itself is a failure',
  { skip },
  async (t) => {
    const { attempt, run } = await room()
    const { origin } = await httpServer(t, (_, response) => response.end('<p>there'))
    t.match((await attempt(program(origin, crash(origin)))).outcome, {
      kind: 'could-not-run',
      reason: /^A page of Chromium crashed when its run used/,
    })
    const closed = await run(program(origin, 'await browser.close()'))
    t.match(closed.failure, { code: 'SCRIPT_FAILED', message: /has been closed/ })
    const other = await run(program('http://127.0.0.1:1/'))
    t.match(other.failure, { code: 'SCRIPT_FAILED' })
  },
)

/** As a bug of Chromium has it, in the middle of a page that was loaded. */
const crash = (url: string): string => `await page.goto('${url}')
  const session = await page.context().newCDPSession(page)
  session.send('Page.crash').catch(() => undefined)
  await page.click('nothing that is there')`

t.test('of a suite whose browser died, too, unless a test failed otherwise', { skip }, async (t) => {
  const { attempt } = await suiteRoom(t)
  const { origin } = await httpServer(t, (_, response) => response.end('<p>there'))
  const files = (url: string, more = '') => [
    { path: 'package.json', content: '{}' },
    { path: 'a.spec.ts', content: `${tests(url, crash(url))}\n${more}` },
  ]
  t.match((await attempt({ files: files(origin) })).outcome, {
    kind: 'could-not-run',
    reason: /^A page of Chromium crashed when its run used \d+ MB of the 4096 MB/,
  })
  const wrong = "test('wrong', () => { throw new Error('as it is') })"
  t.match((await attempt({ files: files(origin, wrong) })).outcome, {
    kind: 'observed',
    observation: { failure: { code: 'TESTS_FAILED' } },
  })
})
