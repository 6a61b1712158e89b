// Runs in test:all only: it runs test files of its own dozens of times.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { misspeltMarks, readMarks } from './support/file-marks.ts'
import { enginesVariable } from './support/length.ts'
import './support/patience.ts'
import { planTestRun } from './support/plan-test-run.ts'
import { type FileResult, runTestFile } from './support/run-test-file.ts'
import { runTestGroup } from './support/run-test-group.ts'
import { secondTries } from './support/second-try.ts'
import { reportSkips } from './support/skip-report.ts'
import { postgresUrlVariable } from './support/start-postgres.ts'
import { readTapResults, withoutPassed } from './support/tap-results.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const runner = fileURLToPath(new URL('run.ts', import.meta.url))
const never = new AbortController().signal

type Folder = { testdir: (files: Record<string, string>) => string }

/** Writes one test file for each body, where it finds tap, and returns their paths. */
function testFiles(t: Folder, bodies: string[]): string[] {
  const entries = bodies.map((body, index) => [`case-${index}.ts`, `import t from 'tap'\n${body}\n`])
  const folder = t.testdir(Object.fromEntries(entries))
  return entries.map(([name = '']) => join(folder, name))
}

function npmTest(files: string[], CI: string, more: NodeJS.ProcessEnv = {}) {
  // Which engines it takes is its own to say.
  const ours = { CI, [postgresUrlVariable]: 'postgres://unused', [enginesVariable]: undefined }
  const env = { ...process.env, ...ours, ...more }
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
    counts: { passed: 1, failed: 1 },
    says: 'one is two',
  },
  {
    name: 'a file that throws',
    body: `throw new Error('boom at start')`,
    counts: { passed: 0, failed: 1 },
    says: 'boom at start',
  },
  {
    name: 'a file that is killed',
    body: `t.ok(1); process.nextTick(() => process.kill(process.pid, 'SIGKILL'))`,
    counts: { passed: 0, failed: 1 },
    says: 'SIGKILL',
  },
  {
    name: 'a file that asserts nothing',
    body: ``,
    counts: { passed: 0, failed: 1 },
    says: 'without finishing a single test',
  },
  {
    name: 'a file that exits with a code',
    body: `t.ok(1); process.on('exit', () => { process.exitCode = 7 })`,
    counts: { passed: 1, failed: 1 },
    says: 'exit code 7',
  },
  {
    name: 'a file that leaves in the middle',
    body: `t.test('cut', async (t) => { t.ok(1); process.exit(0) })`,
    counts: { failed: Number },
    says: 'cut',
  },
]
for (const { name, body, counts, says } of failures)
  t.test(`${name} fails by itself and is explained`, async (t) => {
    const [file = ''] = testFiles(t, [body])
    const result = await runTestFile(file, { timeoutMs: 600_000, env: process.env, signal: never })
    t.match(result, counts)
    t.match(result.details, says)
  })

const well = `t.ok(1); t.test('nested', async (t) => { t.ok(2) })`

/** With which code a process ends is seen where nothing else in it has failed. */
const isOfProcess = ({ says }: { says: string }): boolean => says === 'exit code 7'

for (const kinds of [failures.filter(isOfProcess), failures.filter((kind) => !isOfProcess(kind))])
  t.test(`a run fails by ${kinds.map(({ name }) => name).join(', ')}; all else has its result`, async (t) => {
    const files = testFiles(t, [well, ...kinds.flatMap(({ body }) => [body, well])])
    const { output, exitCode, lastLine } = npmTest(files, '')
    t.equal(exitCode, 1)
    t.match(lastLine, /, [1-9]\d* failed$/)
    const lines = output.split('\n')
    for (const file of files.filter((_, at) => at % 2 === 0))
      t.equal(lines.filter((line) => line.startsWith(`ok   ${relative('.', file)}  2 passed`)).length, 1)
    for (const { says } of kinds) t.match(output, says)
  })

for (const { name, body, says } of failures)
  t.test(`${name} takes nothing from the files that share its process`, async (t) => {
    const [before = '', bad = '', after = ''] = testFiles(t, [well, body, well])
    const inOne = await runTestGroup([before, bad, after], {
      timeoutMs: 600_000,
      env: process.env,
      signal: never,
    })
    t.match(inOne.results.slice(0, 2), [{ file: before, passed: 2, failed: 0 }, { file: bad }])
    const ran = inOne.results.slice(0, 3).map(({ file }) => file)
    t.strictSame([...ran, ...inOne.notRun], [before, bad, after])
    const failed = inOne.results.filter(({ failed }) => failed > 0)
    t.equal(failed.length, 1)
    t.match(failed[0]?.details, says)
  })

const failsOnce = `import { existsSync, writeFileSync } from 'node:fs'
  const mark = import.meta.filename + '.tried'
  const again = existsSync(mark)
  writeFileSync(mark, '')`

t.test('what failed beside others is tried once more by itself, and named', async (t) => {
  const files = testFiles(t, [`${failsOnce}; t.ok(1); t.ok(again, 'the first time')`, 't.ok(1)'])
  const run = npmTest(['--second-try', ...files], '')
  t.match(run, { exitCode: 0, lastLine: '3 passed, 0 failed' })
  t.match(run.output, 'the first time')
  t.match(run.output, `UNSTEADY ${relative('.', files[0] ?? '')}: `)
})

t.test('what fails twice has failed, and so have more than a few', async (t) => {
  const [broken = '', well = ''] = testFiles(t, [`t.ok(0, 'broken')`, 't.ok(1)'])
  const run = npmTest(['--second-try', broken, well], '')
  t.match(run, { exitCode: 1, lastLine: '1 passed, 1 failed' })
  t.notMatch(run.output, 'UNSTEADY')
  const many = Array.from({ length: secondTries + 1 }, () => `${failsOnce}; t.ok(again)`)
  t.match(npmTest(['--second-try', ...testFiles(t, many)], ''), {
    exitCode: 1,
    lastLine: `0 passed, ${secondTries + 1} failed`,
  })
})

t.test(
  'a file that passed before and that nothing has changed is left out, named and counted once',
  async (t) => {
    const told = join(t.testdir(), 'passed')
    const same = 'test/protocol/semaphore.test.ts'
    const [here = '', skips = ''] = testFiles(t, ['t.ok(1)', `t.ok(1); t.test('x', { skip: 'no moon' })`])
    const files = [same, here, skips]
    const first = npmTest([`--tell-passed=${told}`, ...files], '')
    const second = npmTest([`--passed-before=${told}`, '--length=all', ...files], '')
    t.match(second, { exitCode: 0, lastLine: first.lastLine })
    t.match(second.output, `- 1 files passed before, and nothing can have changed them since: ${same}\n`)
    t.notMatch(second.output, `ok   ${same}`)
    for (const file of [here, skips]) t.match(second.output, `ok   ${relative('.', file)}`)
  },
)

t.test('files that share a process have their own tests, hooks and folders', async (t) => {
  const body = `t.beforeEach((t) => { t.context.seen = (t.context.seen ?? 0) + 1 })
    t.teardown(() => console.log('torn down'))
    const folder = t.testdir({ 'x.txt': 'x' })
    t.test('sees one hook', async (t) => { t.equal(t.context.seen, 1); t.match(folder, import.meta.filename.slice(-9)) })`
  const files = testFiles(t, [body, body])
  const { results, notRun } = await runTestGroup(files, {
    timeoutMs: 600_000,
    env: process.env,
    signal: never,
  })
  t.match(results, [
    { file: files[0], passed: 2, failed: 0, details: '' },
    { file: files[1], passed: 2, failed: 0 },
  ])
  t.strictSame(notRun, [])
})

t.test('a skip is counted and named, and is a failure in CI', async (t) => {
  const files = testFiles(t, [`t.ok(1); t.test('needs a moon', { skip: 'no moon here' }, async () => {})`])
  const here = npmTest(files, '')
  t.match(here, { exitCode: 0, lastLine: '1 passed, 0 failed, 1 skipped' })
  t.match(here.output, 'no moon here: ')
  t.match(here.output, ': needs a moon')
  t.match(npmTest(files, 'true'), { exitCode: 1, lastLine: '1 passed, 1 failed' })
})

const hangs = `import { spawn } from 'node:child_process'
  const listen = "require('net').createServer().listen(0, '127.0.0.1', function () { console.log('port', this.address().port) })"
  t.ok(1)
  t.test('waits for ever', async () => {
    spawn(process.execPath, ['-e', listen], { stdio: 'inherit' })
    await new Promise((resolve) => setTimeout(resolve, 600_000))
  })`

/** Runs with more and more time, until it was enough for what comes before the hang: how long that takes is the machine's. */
async function withEnoughTime<R>(run: (timeoutMs: number) => Promise<R>, wasEnough: (ran: R) => boolean) {
  for (let timeoutMs = 3000; ; timeoutMs *= 4) {
    const ran = await run(timeoutMs)
    if (wasEnough(ran) || timeoutMs > 100_000) return ran
  }
}

const hasToldAll = ({ details }: FileResult): boolean =>
  /port \d/.test(details) && /waits for ever/.test(details)

t.test('a file that hangs is ended with what it started, and says which test hung', async (t) => {
  const [alone = '', before = '', inCompany = '', after = ''] = testFiles(t, [
    hangs,
    't.ok(1)',
    hangs,
    't.ok(1)',
  ])
  const [result, { results, notRun }] = await Promise.all([
    withEnoughTime(
      (timeoutMs) => runTestFile(alone, { timeoutMs, env: process.env, signal: never }),
      hasToldAll,
    ),
    withEnoughTime(
      (timeoutMs) => runTestGroup([before, inCompany, after], { timeoutMs, env: process.env, signal: never }),
      ({ results }) => results[1] !== undefined && hasToldAll(results[1]),
    ),
  ])
  t.match(results[0], { file: before, passed: 1, failed: 0 })
  t.strictSame(notRun, [after])
  for (const hung of [result, results[1]]) {
    t.ok(hung && hung.failed >= 1)
    t.match(hung?.details, 'waits for ever')
    const port = Number(/port (\d+)/.exec(hung?.details ?? '')?.[1])
    t.ok(port > 0)
    await t.rejects(
      once(connect(port, '127.0.0.1'), 'connect'),
      { code: 'ECONNREFUSED' },
      'its child is gone',
    )
  }
})

t.test('a file that keeps its process open fails the files it shares it with, by name', async (t) => {
  const [first = '', second = ''] = testFiles(t, [`t.ok(1); setInterval(() => {}, 1000)`, 't.ok(1)'])
  const group = await withEnoughTime(
    (timeoutMs) => runTestGroup([first, second], { timeoutMs, env: process.env, signal: never }),
    ({ results }) => results.filter(({ failed }) => failed === 0).length === 2,
  )
  t.match(group.results, [
    { passed: 1, failed: 0 },
    { passed: 1, failed: 0 },
    { passed: 0, failed: 1 },
  ])
  t.match(group.results[2]?.details, `the process did not end in time after: ${first}, ${second}`)
})

const short = (file: string) => ({ file, seconds: 1, isAlone: false, isLast: false, onBothEngines: false })

t.test('the longest go first, neighbours share a process, and who says so is alone', async (t) => {
  const files = [short('c/y'), short('a/x'), { ...short('a/z'), seconds: 300 }, short('c/x')]
  const plan = planTestRun([...files, { ...short('b'), seconds: 2, isAlone: true }])
  t.strictSame(
    plan.map(({ files }) => files),
    [['a/z'], ['a/x', 'c/x', 'c/y'], ['b']],
  )
  const last = { ...short('a'), seconds: 500, isLast: true }
  t.strictSame(
    planTestRun([last, ...files]).map(({ files }) => files),
    [['a/z'], ['a/x', 'c/x', 'c/y'], ['a']],
  )
  const many = Array.from({ length: 300 }, (_, n) => short(`${n}`))
  const processes = planTestRun(many).map(({ files }) => files)
  t.strictSame(processes.flat().sort(), many.map(({ file }) => file).sort(), 'each once')
  t.ok(Math.max(...processes.map((files) => files.length)) <= 40)
})

t.test('files that run on both engines share no process with those that do not', async (t) => {
  t.strictSame(planTestRun([short('a'), { ...short('b'), onBothEngines: true }, short('c')]), [
    { files: ['a', 'c'], onBothEngines: false },
    { files: ['b'], onBothEngines: true },
  ])
})

t.test('what a file says of itself counts with a reason only', async (t) => {
  const none = { isAlone: false, isLast: false, from: 'short', bothEnginesFrom: 'long' }
  t.strictSame(readMarks("import t from 'tap'\n"), none)
  const reason = 'it measures memory.'
  t.match(readMarks(`import t from 'tap'\n// Runs in a process of its own: ${reason}\n`), { isAlone: true })
  t.match(readMarks(`// Runs last: ${reason}`), { isLast: true })
  t.match(readMarks(`// Runs in test:all only: ${reason}`), { from: 'all' })
  t.match(readMarks(`// Runs in test:long only: ${reason}`), { from: 'long' })
  t.match(readMarks(`// Runs on both engines: ${reason}`), { bothEnginesFrom: 'short' })
  t.match(readMarks(`// Runs on both engines in test:all: ${reason}`), { bothEnginesFrom: 'all' })
  const wrong = [
    '// Runs in a process of its own.',
    '// Runs in test:all only:',
    '// Runs on both databases: why',
    '// Runs last.',
  ]
  t.strictSame(readMarks(wrong.join('\n')), none)
  t.strictSame(misspeltMarks(`${wrong.join('\n')}\n// Runs on both engines: ${reason}`), wrong)
})

t.test('no test file says it in words that do not count', async (t) => {
  for (const file of globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] }))
    t.strictSame(misspeltMarks(readFileSync(join(root, file), 'utf8')), [], file)
})

const tellsItsRun = `t.comment('length', process.env.TEST_LENGTH, 'engines', process.env.TEST_ENGINES); t.fail()`

t.test('files that are named run whatever they say, as long as the longest of them needs', async (t) => {
  const [plain = '', all = ''] = testFiles(t, [
    tellsItsRun,
    `// Runs in test:all only: it is long\n${tellsItsRun}`,
  ])
  t.match(npmTest([plain], '').output, 'length short engines sqlite')
  t.match(npmTest([all], '').output, 'length all engines sqlite')
  t.match(npmTest([plain, '--length=long'], '').output, 'length long engines undefined')
})

t.test('a file whose SQL differs takes both engines in shorter runs, too', async (t) => {
  const [differs = '', needed = '', plain = ''] = testFiles(t, [
    `// Runs on both engines: its SQL differs\n${tellsItsRun}`,
    `// Runs on both engines in test:all: its SQL is asked nowhere else\n${tellsItsRun}`,
    tellsItsRun,
  ])
  t.match(npmTest([differs], '').output, 'length short engines undefined')
  t.match(npmTest([needed], '').output, 'length short engines sqlite')
  t.match(npmTest([needed, '--length=all'], '').output, 'length all engines undefined')
  t.match(npmTest([plain], '', { [enginesVariable]: 'postgres' }).output, 'length short engines postgres')
})

t.test('a length that is none is refused', async (t) => {
  const run = npmTest(['--length=endless'], '')
  t.match(run, { exitCode: 1, lastLine: '0 passed, 1 failed' })
  t.match(run.output, 'it is one of short, all, long')
})

t.test('skips are told once for each reason, and by name where it is not in the list', async (t) => {
  const skips = (...reasons: string[]) => reasons.map((reason, n) => ({ name: `test ${n}`, reason }))
  const results = [
    { file: 'a', skips: skips('no moon', 'no sun', 'no proxy') },
    { file: 'b', skips: skips('no moon') },
  ]
  const allowed = { anywhere: { 'no moon': 'It rises late.' }, outsideOfCi: { 'no proxy': 'CI has one.' } }
  const [moon, proxy, sun] = [
    'skipped 2 (files: 2): no moon. It rises late.',
    'skipped 1 (files: 1): no proxy. CI has one.',
    'skipped 1 (files: 1), not in the list: no sun: a: test 1',
  ]
  t.strictSame(reportSkips(results, { allowed, isCi: false }), { lines: [moon, proxy, sun], refused: 0 })
  t.strictSame(reportSkips(results, { allowed, isCi: true }), {
    lines: [moon, `FAIL ${proxy}`, `FAIL ${sun}`],
    refused: 2,
  })
})

t.test('a file that is not there fails by its name, and no other', async (t) => {
  const [file = ''] = testFiles(t, ['t.ok(1)'])
  const run = npmTest([`${file}-gone`, file], '')
  t.match(run, { exitCode: 1, lastLine: '1 passed, 1 failed' })
  t.match(run.output, `FAIL ${relative('.', file)}-gone`)
})

t.test('without a folder for compiled code everything runs as well', async (t) => {
  const [file = ''] = testFiles(t, ['t.ok(1)'])
  const NODE_COMPILE_CACHE = join(file, 'below-a-file')
  t.match(npmTest([file], '', { NODE_COMPILE_CACHE }), { exitCode: 0, lastLine: '1 passed, 0 failed' })
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
