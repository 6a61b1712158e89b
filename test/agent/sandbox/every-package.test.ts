// Runs in test:all only: it loads hundreds of packages.
/** Each package of each runtime; `npm run runtime <id>` installs them. */
import t from 'tap'
import {
  browserPackages,
  findRuntimes,
  installedModules,
  ownRuntimes,
} from '../../../agent/sandbox/runtimes.ts'
import { hyphenated } from '../../../protocol/runtime.ts'
import { agentIo } from '../../support/agent-io.ts'
import { runsIn } from '../../support/length.ts'
import { runScriptWith } from '../../support/scripts.ts'

const run = runScriptWith(agentIo())
const heavy = ['googleapis', '@kubernetes/client-node', '@azure/identity', 'date-fns', 'date-fns-tz', 'jsdom']

const runtimes = findRuntimes(ownRuntimes)
const [newest] = runtimes

for (const runtime of runtimes) {
  const { id } = runtime
  const packages = runtime.packages.filter((name) => !browserPackages.includes(name))
  const skip =
    installedModules(runtime) === null && `the packages of runtimes/${hyphenated(id)} are not installed`

  t.test(`${id}: every package loads in the time and the memory of a script`, { skip }, async (t) => {
    const alone = packages.filter((name) => heavy.includes(name))
    const rest = packages.filter((name) => !heavy.includes(name))
    // Neighbours in one process: sixty processes would take a minute.
    const together = Math.ceil(rest.length / 5)
    const starts = [0, 1, 2, 3, 4].map((part) => part * together)
    // Those of older runtimes are loaded by browser/every-package.test.ts, too, where no limit is near.
    const isRestLoaded = runtime === newest || runsIn('long')
    const groups = [
      ...alone.map((name) => [name]),
      ...(isRestLoaded ? starts.map((start) => rest.slice(start, start + together)) : []),
    ]
    for (const group of groups) {
      const code = `for (const name of ${JSON.stringify(group)}) {
  try { if (require(name) === undefined) console.log(name) } catch (error) { console.log(name, error.message) }
}`
      const { problem, lines } = await run(code, { runtimeId: id })
      t.equal(problem, null, group.join())
      t.same(lines, [], group.join())
    }
  })
}
