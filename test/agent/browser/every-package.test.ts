// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it loads hundreds of packages.
/** Each package that the API lists, as scripts of browser and multi-step checks get it, in each runtime that is installed. */
import t from 'tap'
import { findRuntimes, installedModules, ownRuntimes } from '../../../agent/sandbox/runtimes.ts'
import { runtimes as listed } from '../../../control-plane/access/runtimes/runtimes.ts'
import { letChildrenThrough } from '../../support/attempts.ts'
import { sharedRoom } from '../../support/browser-room.ts'
import { leftOutOf } from '../../support/left-out.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

process.env['TMPDIR'] = temporaryFolder(t)
letChildrenThrough()

/** Of packages that are nothing but parts: the part that scripts load. */
const partOf: Record<string, string> = { '@clerk/testing': '@clerk/testing/playwright' }
/** It looks for a file of its own tests. */
const notByImport = ['pdf-parse']

const room = sharedRoom(t)

for (const runtime of findRuntimes(ownRuntimes)) {
  const { id } = runtime
  const leftOut = leftOutOf(id)
  const names = Object.keys(listed.find(({ name }) => name === id)!.dependencies)
    .filter((name) => !leftOut.includes(name))
    .map((name) => partOf[name] ?? name)
  const skip =
    installedModules(runtime) === null && `the packages of runtimes/${id.replace('.', '-')} are not installed`

  t.test(`${id}: browser and multi-step checks load every package`, { skip }, async (t) => {
    const { run } = await room()
    const script = `let loaded = 0
for (const name of ${JSON.stringify(names)}) {
  try { if (!${JSON.stringify(notByImport)}.includes(name)) await import(name) } catch (error) { console.log('import', name, error.message) }
  try { require(name) } catch (error) { console.log('require', name, error.message) }
  loaded += 1
}
console.log(loaded, 'packages')`
    const { failure, log } = await run(script, { checkType: 'MULTI_STEP', runtimeId: id })
    t.equal(failure, null)
    t.equal(log, `INFO ${names.length} packages`)
  })
}
