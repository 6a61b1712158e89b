import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type TestApp, testApp } from '../../../../support/app.ts'

const root = new URL('../../../../../', import.meta.url)
const locations = { locations: ['eu-west-1'] }
const request = { method: 'GET', url: 'https://example.com/' }

const saved = async ({ call }: TestApp, path: string, body: object) => {
  const { status, text, body: check, headers } = await call('POST', `/v1/checks/${path}`, { body })
  if (status !== 201) throw new Error(text)
  const said: string[] = (check.warnings ?? []).map(({ message }: { message: string }) => message)
  return { id: check.id, said, header: headers.get('watchpost-warning') }
}
const saidOf = async (plane: TestApp, path: string, script: string, more: object = {}): Promise<string[]> =>
  (await saved(plane, path, { name: 'Shop', script, ...locations, ...more })).said
const saidOfSetup = async (plane: TestApp, localSetupScript: string): Promise<string[]> =>
  (await saved(plane, 'api', { name: 'Orders', request, localSetupScript, ...locations })).said

const broken = "import { test } from '@playwright/test'\ntest('x', async () => {\n  const a = (1 2)\n})\n"

t.test('a script that cannot be parsed is saved with its line and a sentence', async (t) => {
  const plane = await testApp(t)
  for (const path of ['browser', 'multistep']) {
    const { id, said, header } = await saved(plane, path, { name: 'Shop', script: broken, ...locations })
    t.strictSame(said.length, 1, path)
    t.match(said[0], /^The script cannot be parsed, line 3: \S/, path)
    t.match(header, /The script cannot be parsed, line 3/, 'in the header, too')
    const muted = await plane.call('PUT', `/v1/checks/${path}/${id}`, { body: { muted: true } })
    t.match(muted.body.warnings, [{ location: null, message: /line 3/ }], 'and with each change')
    const mended = await plane.call('PUT', `/v1/checks/${path}/${id}`, {
      body: { script: broken.replace('1 2', '12') },
    })
    t.notOk('warnings' in mended.body, 'and no more when it is mended')
  }
})

t.test('setup and teardown scripts are bodies of functions, or modules', async (t) => {
  const plane = await testApp(t)
  const scripts = { localSetupScript: 'return 1\n)', localTearDownScript: 'const a: number = 1\nlet = = 2' }
  const { said } = await saved(plane, 'api', { name: 'Orders', request, ...scripts, ...locations })
  t.equal(said.length, 2)
  t.match(said[0], /^The setup script cannot be parsed, line 2: \S/)
  t.match(said[1], /^The teardown script cannot be parsed, line 2: \S/)
  t.match(await saidOfSetup(plane, 'enum A { B }'), [/line 1: TypeScript enum is not supported/])
  t.match(await saidOfSetup(plane, "import a from 'a'\nconst b = (\n"), [/cannot be parsed, line 2: /])
  t.match(await saidOfSetup(plane, 'const é = 1 2'), [/line 1/], 'whatever characters it has')
  for (const code of [
    'if (!request) return\nawait fetch("https://example.com/")',
    'const a: number = 1\nreturn a as unknown',
    "import { createHash } from 'node:crypto'\nexport default async () => { await 1 }",
    "import assert from 'node:assert'\nconst a: string = '1'\nif (a) return\nawait assert(a)",
    'var old = 08; with (Math) { old = max(1, 2) }',
  ])
    t.strictSame(await saidOfSetup(plane, code), [], code)
})

t.test('nothing is said of what runs', async (t) => {
  const plane = await testApp(t)
  for (const code of [
    "const { chromium } = require('playwright')\nreturn",
    "import { test } from '@playwright/test'\nawait Promise.resolve()\nexport const a: number = 1",
    'enum Size { Small }\nnamespace A { export const b = 1 }\nconst c = 1 satisfies number',
    "#!/usr/bin/env node\nimport data from './a.json' with { type: 'json' }\nclass A { accessor b = data }",
    'class A { @logged method() { using a = open() } }',
    '// Node.js',
  ])
    t.strictSame(await saidOf(plane, 'browser', code), [], code)
  const jsx = 'const a = <div/>'
  t.equal((await saidOf(plane, 'browser', jsx)).length, 1)
  t.strictSame(await saidOf(plane, 'browser', jsx, { scriptPath: 'tests/a.spec.tsx' }), [])
})

t.test('nor of an example of a page of the documents', async (t) => {
  const plane = await testApp(t)
  const examples = globSync('docs/**/*.md', { cwd: root.pathname }).flatMap((path) =>
    [
      ...readFileSync(new URL(path, root), 'utf8').matchAll(
        /^```(?:ts|js|typescript|javascript)\n(.*?)^```/gms,
      ),
    ].map(([, code = '']) => ({ path, code })),
  )
  t.ok(examples.length > 2, `${examples.length} examples`)
  for (const { path, code } of examples)
    t.strictSame(await saidOf(plane, 'browser', code), [], `${path}: ${code}`)
})

t.test('what breaks the parser, or is too large for it, is saved, and the next is parsed', async (t) => {
  const plane = await testApp(t)
  t.strictSame(await saidOf(plane, 'browser', `const a: number = ${'('.repeat(100_000)}`), [])
  t.match(await saidOf(plane, 'browser', broken), [/line 3/])
  t.strictSame(await saidOf(plane, 'browser', `${' '.repeat(256 * 1024)}(`), [])
})

t.test('no script is run', async (t) => {
  const plane = await testApp(t)
  const mark = join(t.testdir(), 'was-run')
  const code = `process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`
  t.strictSame(await saidOf(plane, 'browser', code), [])
  t.strictSame(await saidOfSetup(plane, `})(); ${code}; (async () => {`), [])
  t.notOk(existsSync(mark))
})
