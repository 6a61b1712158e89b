// Runs in a process of its own: it measures its memory.
// Runs in test:all only: it starts a browser for each of its scripts.
/** What an agent holds does not grow with its runs. `BROWSER_RUNS=200 node test/agent/checks/browser-memory.test.ts` measures more of them. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { letChildrenThrough } from '../../support/attempts.ts'
import { browserRoom, cannotBrowse, leftFolders } from '../../support/browser-room.ts'
import { descendants } from '../../support/processes.ts'
import { shop } from '../../support/shop.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

t.setTimeout(3_600_000)

process.env['TMPDIR'] = temporaryFolder(t)
letChildrenThrough()

const runs = Number(process.env['BROWSER_RUNS'] ?? 8)
/** Code that is compiled and caches that fill are there after these. */
const warmUp = Math.min(20, runs / 2)
/** Few runs say less: what is compiled and kept late is a larger part of them. A run that kept its files would be above it. */
const maxGrowthOfRunKb = runs < 50 ? 1000 : 100

t.test('memory and descriptors of an agent stay as they are', { skip: cannotBrowse() }, async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const { run, io } = await browserRoom(t)
  const { origin } = await shop(t, 'x')
  const script = (count: number) => `const browser = await require('playwright').chromium.launch()
const page = await browser.newPage()
await page.goto('${origin}/')
console.log('run ${count}')
${count % 4 === 0 ? "throw new Error('one of four')" : 'await browser.close()'}`
  const measure = () => {
    collect()
    const { heapUsed, external, rss } = process.memoryUsage()
    return { heldKb: Math.round((heapUsed + external) / 1024), rssMb: Math.round(rss / 1024 / 1024) }
  }
  let before = measure()
  for (let count = 1; count <= runs; count += 1) {
    const { failure } = await run(script(count), { checkType: 'BROWSER' })
    t.equal(failure === null, count % 4 !== 0)
    if (count === warmUp) before = measure()
    if (count % 20 === 0) t.comment(`after ${count} runs: ${JSON.stringify(measure())}`)
  }
  const after = measure()
  t.comment(`${JSON.stringify(before)} after ${warmUp} runs, ${JSON.stringify(after)} after ${runs}`)
  const growthOfRunKb = (after.heldKb - before.heldKb) / (runs - warmUp)
  t.ok(growthOfRunKb < maxGrowthOfRunKb, `${growthOfRunKb} KB a run`)
  t.same(leftFolders(), [])
  await io.browsers.end()
  t.same(descendants(process.pid, 'chromium-headle'), [])
})
