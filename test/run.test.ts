import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { runTestFile } from './support/run-test-file.ts'
import { postgresUrlVariable } from './support/start-postgres.ts'
import { readTapResults, withoutPassed } from './support/tap-results.ts'

const runner = fileURLToPath(new URL('run.ts', import.meta.url))
const never = new AbortController().signal

type Folder = { testdir: (files: Record<string, string>) => string }

/** Writes one test file for each body, where it finds tap, and returns their paths. */
function testFiles(t: Folder, bodies: string[]): string[] {
  const entries = bodies.map((body, index) => [`case-${index}.ts`, `import t from 'tap'\n${body}\n`])
  const folder = t.testdir(Object.fromEntries(entries))
  return readdirSync(folder).map((name) => join(folder, name))
}

function npmTest(files: string[], CI: string) {
  const env = { ...process.env, CI, [postgresUrlVariable]: 'postgres://unused' }
  const result = spawnSync(process.execPath, [runner, ...files], { env, encoding: 'utf8' })
  return {
    exitCode: result.status,
    output: result.stdout,
    lastLine: result.stdout.trimEnd().split('\n').at(-1),
  }
}

t.test('the last line adds up what tap counted in every file', async (t) => {
  const files = testFiles(t, [
    `t.test('nested', async (t) => { t.ok(1); t.test('deeper', async (t) => { t.ok(2); t.ok(3) }) })`,
    `t.ok(1)`,
  ])
  const run = npmTest(files, '')
  t.match(run, { exitCode: 0, lastLine: '4 passed, 0 failed' })
})

const failures = [
  {
    name: 'a failed assertion',
    body: `t.ok(1); t.equal(1, 2, 'one is two')`,
    lastLine: '1 passed, 1 failed',
    says: 'one is two',
  },
  {
    name: 'a file that throws',
    body: `throw new Error('boom at start')`,
    lastLine: '0 passed, 1 failed',
    says: 'boom at start',
  },
  {
    name: 'a file that is killed',
    body: `t.ok(1); process.nextTick(() => process.kill(process.pid, 'SIGKILL'))`,
    lastLine: '0 passed, 1 failed',
    says: 'SIGKILL',
  },
  {
    name: 'a file that asserts nothing',
    body: ``,
    lastLine: '0 passed, 1 failed',
    says: 'without finishing a single test',
  },
  {
    name: 'a file that exits with a code',
    body: `t.ok(1); process.on('exit', () => { process.exitCode = 7 })`,
    lastLine: '1 passed, 1 failed',
    says: 'exit code 7',
  },
  {
    name: 'a file that leaves in the middle',
    body: `t.test('cut', async (t) => { t.ok(1); process.exit(0) })`,
    lastLine: /, [1-9]\d* failed$/,
    says: 'cut',
  },
]
for (const { name, body, lastLine, says } of failures)
  t.test(`${name} makes the run fail and is explained`, async (t) => {
    const run = npmTest(testFiles(t, [body]), '')
    t.match(run, { exitCode: 1, lastLine })
    t.match(run.output, says)
  })

t.test('a skip is counted and named, and is a failure in CI', async (t) => {
  const files = testFiles(t, [`t.ok(1); t.test('needs a moon', { skip: 'no moon here' }, async () => {})`])
  const here = npmTest(files, '')
  t.match(here, { exitCode: 0, lastLine: '1 passed, 0 failed, 1 skipped' })
  t.match(here.output, 'needs a moon: no moon here')
  t.match(npmTest(files, 'true'), { exitCode: 1, lastLine: '1 passed, 1 failed' })
})

t.test('a file that hangs is ended with what it started, and says which test hung', async (t) => {
  const [file = ''] = testFiles(t, [
    `import { spawn } from 'node:child_process'
     const listen = "require('net').createServer().listen(0, '127.0.0.1', function () { console.log('port', this.address().port) })"
     t.test('waits for ever', async () => {
       spawn(process.execPath, ['-e', listen], { stdio: 'inherit' })
       await new Promise((resolve) => setTimeout(resolve, 600_000))
     })`,
  ])
  const result = await runTestFile(file, { timeoutMs: 40_000, env: process.env, signal: never })
  t.ok(result.failed >= 1)
  t.match(result.details, 'waits for ever')
  const port = Number(/port (\d+)/.exec(result.details)?.[1])
  await t.rejects(once(connect(port, '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' }, 'its child is gone')
})

t.test(
  'skips are read with name and reason, and passed points are left out of the explanation',
  async (t) => {
    const output = `TAP version 14
ok 1 - fine
    ok 1 - because of \\# x # SKIP
ok 2 - later # TODO write it
ok 3 - elsewhere # SKIP no such machine
not ok 4 - broken
# { total: 5, pass: 1, fail: 1, skip: 2, todo: 1 }
`
    t.strictSame(readTapResults(output), {
      counts: { passed: 1, failed: 1, skipped: 3 },
      skips: [
        { name: 'because of # x', reason: 'because of # x' },
        { name: 'later', reason: 'write it' },
        { name: 'elsewhere', reason: 'no such machine' },
      ],
    })
    t.notMatch(withoutPassed(output), 'fine')
    t.match(withoutPassed(output), 'not ok 4 - broken')
    t.equal(readTapResults('ok 1 - cut').counts, null)
  },
)
