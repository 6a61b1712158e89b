import t from 'tap'
import { checkTypes } from '../protocol/check-type.ts'
import { readSources } from './support/sources.ts'

/** What a type knows is in its three files; they and the three lists of types may name it. */
const records = /^(protocol\/checks|agent\/checks|control-plane\/monitoring\/definitions\/checks\/types)\//

/** Who else may, and why. */
const because: { files: RegExp; reason: string }[] = [
  { files: /^protocol\/check-type\.ts$/, reason: 'it says which type examples show' },
  {
    files: /^control-plane\/monitoring\/watches\/heartbeats\//,
    reason: 'whoever pings is not run by agents: the slice is of this type alone',
  },
  {
    files: /^control-plane\/monitoring\/definitions\/checks\/filtered-checks\.ts$/,
    reason: 'the parameter apiUrlPart is about API checks',
  },
  {
    files: /^control-plane\/monitoring\/watches\/test-sessions\//,
    reason: 'API is also who started a test: a program',
  },
  { files: /^agent\/(net|dns)\//, reason: 'protocols of the network, which are no types of checks' },
  { files: /^control-plane\/communication\//, reason: 'a name of a status page: its URL or its domain' },
]

const types = checkTypes.join('|')
const named = new RegExp(`'(?:${types})'|^\\s*(?:${types}): |\\bcheckKinds\\.[A-Z]`, 'm')

t.test('no list knows the types of checks by name', async (t) => {
  const programs = readSources().filter(({ path }) => /^(agent|control-plane|protocol)\//.test(path))
  const naming = programs.filter(({ path, code }) => !records.test(path) && named.test(code))
  const unexplained = naming.filter(({ path }) => !because.some(({ files }) => files.test(path)))
  t.strictSame(
    unexplained.map(({ path, code }) => `${path}: ${named.exec(code)?.[0]}`),
    [],
  )
  for (const { files, reason } of because)
    t.ok(
      naming.some(({ path }) => files.test(path)),
      `still needed: ${reason}`,
    )
  t.ok(programs.some(({ path, code }) => records.test(path) && named.test(code)))
})
