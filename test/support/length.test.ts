import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { isPartOf, lengths, lengthVariable, readLength } from './length.ts'
import { seedVariable } from './seed.ts'

const modules = ['length', 'seed', 'fast-check'].map((name) => new URL(`${name}.ts`, import.meta.url).href)

/** What a process of a test file sees that was started like this. */
const seen = (env: NodeJS.ProcessEnv) => {
  const program = `const [length, seed, { fc }] = await Promise.all(${JSON.stringify(modules)}.map((file) => import(file)))
    const count = { two: length.byLength({ short: 1, all: 5 }), three: length.byLength({ short: 1, all: 5, long: 50 }) }
    const ran = fc.check(fc.property(fc.nat(), () => false))
    console.log(JSON.stringify({ ...count, all: length.runsIn('all'), seed: seed.seed, drawn: ran.seed, of: fc.readConfigureGlobal().numRuns }))`
  const { [lengthVariable]: _, [seedVariable]: __, ...outer } = process.env
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...outer, ...env },
    encoding: 'utf8',
  })
  return run.status === 0 ? JSON.parse(run.stdout) : run.stderr
}

t.test('a file that runs alone tries what CI tries; short runs less, long ones more', async (t) => {
  t.match(seen({}), { two: 5, three: 5, all: true, of: 100 })
  t.match(seen({ [lengthVariable]: 'short' }), { two: 1, three: 1, all: false, of: 100 })
  t.match(seen({ [lengthVariable]: 'long' }), { two: 5, three: 50, all: true, of: 2000 })
  t.match(seen({ [lengthVariable]: 'endless' }), 'it is one of short, all, long')
})

t.test('each length has what the shorter ones have', async (t) => {
  for (const [index, length] of lengths.entries())
    t.strictSame(
      lengths.filter((needed) => isPartOf(length, needed)),
      lengths.slice(0, index + 1),
    )
  t.equal(readLength(undefined), 'all')
})

t.test('chance is the same in every run but long ones, and can be repeated', async (t) => {
  const [first, again] = [seen({}), seen({ [lengthVariable]: 'short' })]
  t.equal(first.seed, again.seed)
  t.equal(first.drawn, first.seed, 'properties take it')
  const [long, other] = [seen({ [lengthVariable]: 'long' }), seen({ [lengthVariable]: 'long' })]
  t.not(long.seed, other.seed)
  t.equal(long.drawn, long.seed)
  t.match(seen({ [lengthVariable]: 'long', [seedVariable]: '123' }), { seed: 123, drawn: 123 })
  t.match(seen({ [seedVariable]: 'twelve' }), 'it is a whole number')
})

t.test('fast-check is imported by one file, which sets its seed', async (t) => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const files = globSync('{test,bench}/**/*.ts', { cwd: root, exclude: ['**/node_modules/**'] })
  const importing = files.filter((file) => /from 'fast-check'$/m.test(readFileSync(`${root}${file}`, 'utf8')))
  t.strictSame(importing, ['test/support/fast-check.ts'])
})
