import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { enginesVariable } from './length.ts'
import { leaveOutPassed, tellPassed } from './passed-before.ts'
import { sameAgain } from './same-again.ts'
import type { Import, Source } from './sources.ts'

const ours = (target: string): Import => ({ target, isPackage: false, isType: false })
const aPackage = (target: string): Import => ({ target, isPackage: true, isType: false })
const source = (path: string, imports: Import[] = [], code = ''): Source => ({
  path,
  lineCount: 1,
  code,
  imports,
})

const file = 'test/protocol/a.test.ts'
const support = 'test/support/b.ts'

/** Whether a test that imports one module is the same in both steps. */
const isSame = (module: Source): boolean =>
  sameAgain([source(file, [aPackage('tap'), ours(module.path)]), module])(file)

t.test('a test of what runs in its process is the same, whatever is installed', async (t) => {
  t.equal(isSame(source(support)), true)
  t.equal(isSame(source('control-plane/a.ts', [aPackage('node:net'), aPackage('kysely')])), true)
  t.equal(isSame(source(support, [{ ...ours('agent/main.ts'), isType: true }])), true, 'types are gone')
  t.equal(isSame(source(support, [], `import { enginesVariable } from './length.ts'`)), true)
  t.equal(isSame(source('control-plane/a.json')), true, 'data of the clone')
})

t.test('what may look at the machine or at the run is not', async (t) => {
  const open = {
    'another program': source(support, [aPackage('node:child_process')]),
    'a browser': source(support, [aPackage('playwright-core')]),
    'the agent': source('agent/checks/browser.ts'),
    'a folder of the system': source(support, [], `existsSync('/usr/bin/openssl')`),
    'a folder that CI fills': source(support, [], 'join(root, ".node/object-store")'),
    'the environment': source(support, [], `process.env['CI'] === 'true'`),
    'the length of the run': source(support, [], `import { byLength, type Length } from './length.ts'`),
    'a module by a made name': source(support, [], 'await import(name)'),
    'what is not there': source(support, [ours('control-plane/gone.ts')]),
    'a thread that does one of them': source(support, [], `new URL('./gone.ts', import.meta.url)`),
  }
  for (const [name, module] of Object.entries(open)) t.equal(isSame(module), false, name)
})

const result = (file: string, counts: Partial<{ passed: number; failed: number; skipped: number }>) => ({
  ...{
    file,
    passed: 3,
    failed: 0,
    skipped: 0,
    skips: [],
    durationMs: 1,
    processorSeconds: null,
    details: '',
  },
  ...counts,
})

const marked = (file: string) => ({ file, bothEnginesFrom: 'long' as const })
const real = 'test/protocol/semaphore.test.ts'

t.test('only what passed as a whole, on the same engines, is left out', async (t) => {
  const path = join(t.testdir(), 'passed')
  const leftOut = (files: { file: string; bothEnginesFrom: 'short' | 'all' | 'long' }[]) =>
    leaveOutPassed(files, path, 'all').before
  t.strictSame(leftOut([marked(real)]), { files: [], passed: 0, sources: false }, 'nothing was told')
  const changed = 'test/agent/main.test.ts'
  tellPassed(path, 'short', [result(real, {}), result(changed, {})], true)
  t.strictSame(leftOut([marked(real), marked(changed)]), { files: [real], passed: 3, sources: true })
  t.strictSame(leftOut([{ file: real, bothEnginesFrom: 'all' }]).files, [], 'the other engine is new')
  t.strictSame(leftOut([{ file: real, bothEnginesFrom: 'short' }]).files, [real], 'both, both times')
  for (const counts of [{ skipped: 1 }, { failed: 1 }, { passed: 0 }]) {
    tellPassed(path, 'short', [result(real, counts)], false)
    t.strictSame(leftOut([marked(real)]), { files: [], passed: 0, sources: false }, JSON.stringify(counts))
  }
  const engines = process.env[enginesVariable] === 'postgres' ? null : 'postgres'
  writeFileSync(path, JSON.stringify({ length: 'short', engines, passed: { [real]: 3 } }))
  t.strictSame(leftOut([marked(real)]).files, [], 'other engines were asked for')
})
