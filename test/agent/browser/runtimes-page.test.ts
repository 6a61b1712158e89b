// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a browser for each of its scripts.
/** The scripts and sentences of docs/runtimes.md, in each runtime that is installed. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { findRuntimes, installedModules, ownRuntimes } from '../../../agent/sandbox/runtimes.ts'
import { runtimes as listed } from '../../../control-plane/access/runtimes/runtimes.ts'
import { hyphenated } from '../../../protocol/runtime.ts'
import { letChildrenThrough } from '../../support/attempts.ts'
import { cannotBrowse, sharedRoom } from '../../support/browser-room.ts'
import { runsIn } from '../../support/length.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

process.env['TMPDIR'] = temporaryFolder(t)
letChildrenThrough()

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const page = read('docs/runtimes.md')
const scripts = [...page.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code ?? '')
const own = findRuntimes(ownRuntimes)

t.test('the table has each runtime with its Playwright and the number of its packages', async (t) => {
  const rows = [...page.matchAll(/^\| `([\d.]+)` \| ([\d.]+) \| (\d+), \d+ MB \|/gm)].map((row) =>
    row.slice(1),
  )
  const expected = own.map(({ id }) => {
    const lock = JSON.parse(read(`runtimes/${hyphenated(id)}/package-lock.json`))
    const entries: [string, { os?: string[] }][] = Object.entries(lock.packages)
    const there = entries.filter(([path, { os }]) => path !== '' && (os?.includes('linux') ?? true))
    const { dependencies } = listed.find(({ name }) => name === id)!
    return [id, dependencies['playwright'], String(there.length)]
  })
  t.same(rows, expected)
})

const room = sharedRoom(t)

for (const runtime of own) {
  const { id } = runtime
  const missing = installedModules(runtime) === null
  const skip = missing ? `the packages of runtimes/${hyphenated(id)} are not installed` : cannotBrowse()

  t.test(`${id}: the scripts of the page pass`, { skip }, async (t) => {
    const { run } = await room()
    const [browser = '', steps = '', ...more] = scripts
    t.same(more, [])
    t.same((await run(browser, { runtimeId: id })).failure, null)
    t.same((await run(steps, { runtimeId: id, checkType: 'MULTI_STEP' })).failure, null)
    if (runtime !== own[0] && !runsIn('long')) return
    const flawed = await run(browser.replace(' alt="Shop"', ''), { runtimeId: id })
    t.match(flawed.failure?.message, /image-alt/, 'it does look at the page')
  })
}
