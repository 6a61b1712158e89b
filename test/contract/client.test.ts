/** A client whose types come from /openapi.json alone compiles, and drives a check through its life. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import createClient from 'openapi-fetch'
import t, { type Test } from 'tap'
import { testApp } from '../support/app.ts'
import { work } from '../support/work.ts'
import { generateTypes } from '../typed-client/generate-types.ts'

const run = promisify(execFile)
const inRepository = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const journeyFile = inRepository('test/typed-client/journey.ts')

/** What `tsc` says about the journey with these types; '' when it has nothing to say. */
const compile = async (t: Test, types: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'watchpost-client-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'watchpost-api.d.ts'), types)
  const { compilerOptions } = JSON.parse(await readFile(inRepository('tsconfig.json'), 'utf8'))
  const options = {
    ...compilerOptions,
    paths: { 'watchpost-api': [join(folder, 'watchpost-api.d.ts')] },
    typeRoots: [inRepository('node_modules/@types')],
  }
  const project = join(folder, 'tsconfig.json')
  await writeFile(project, JSON.stringify({ compilerOptions: options, files: [journeyFile] }))
  const tsc = inRepository('node_modules/typescript/bin/tsc')
  return run(process.execPath, [tsc, '-p', project]).then(
    () => '',
    (error: { stdout?: string }) => error.stdout || String(error),
  )
}

t.test('the generated types compile with a journey that uses them, and refuse a wrong one', async (t) => {
  const { call } = await testApp(t)
  const types = await generateTypes((await call('GET', '/openapi.json', { key: null })).body)
  t.equal(await compile(t, types), '')
  const wrong = types
    .replaceAll(/concurrency\?: number/g, 'concurrency?: string')
    .replaceAll('hasFailures', 'failed')
  const problems = await compile(t, wrong)
  t.match(problems, /Type 'number' is not assignable to type 'string'/, 'a wrong body')
  t.match(problems, /'hasFailures'/, 'a wrong answer')
})

t.test('the journey: group, check, result, change, list, delete', async (t) => {
  const plane = await testApp(t)
  const client = createClient({
    baseUrl: plane.url,
    headers: { authorization: `Bearer ${plane.apiKey}` },
  })
  const { journey } = await import(journeyFile)
  const steps = await journey(client, () => work(plane, 'passing'))
  t.match(steps, {
    group: { name: 'Shop', concurrency: 2 },
    check: { name: 'Cart', checkType: 'URL', groupId: steps.group.id },
    first: { checkId: steps.check.id, resultType: 'FINAL', hasFailures: false, runLocation: 'local' },
    changed: { id: steps.check.id, name: 'Basket', muted: true, groupId: steps.group.id },
    listed: ['Basket'],
    gone: [404, 404],
  })
})
