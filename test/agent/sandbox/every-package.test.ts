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
import { runScriptWith } from '../../support/scripts.ts'

t.setTimeout(590_000)

const run = runScriptWith(agentIo())
const heavy = ['googleapis', '@kubernetes/client-node', '@azure/identity', 'date-fns', 'date-fns-tz', 'jsdom']

for (const runtime of findRuntimes(ownRuntimes)) {
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
    const groups = [
      ...alone.map((name) => [name]),
      ...starts.map((start) => rest.slice(start, start + together)),
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
