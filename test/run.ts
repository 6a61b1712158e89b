/**
 * `npm test`: format and lint, types and the test files that are quick; `npm run test:all`: every file, as CI runs them;
 * `npm run test:long`: with the large counts, too, and all on both engines. Files that are named run whatever they say of
 * themselves.
 *
 * A test file is a program of its own (`node test/x.test.ts` works too). This one runs them side by side, short ones
 * many to a process (test/support/plan-test-run.ts), against one PostgreSQL server, and adds up what tap counted. The
 * last line is always the count, as in `120 passed, 0 failed, 2 skipped`; the exit code is 0 only if something passed
 * and nothing failed. With CI=true a skip is a failure, unless test/allowed-skips.json has its reason.
 *
 * In a whole run a file that failed beside others is tried once more by itself (test/support/second-try.ts); so are named
 * ones with `--second-try`.
 *
 * `--tell-passed` and `--passed-before` name a file with which `.ci/run` runs once what would be the same twice
 * (test/support/passed-before.ts).
 *
 * `--record` also writes test/slow-files.json, which only decides what runs first and what shares a process.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { availableParallelism, constants } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { checkSources } from './support/check-sources.ts'
import { fillCompileCache } from './support/compile-cache.ts'
import { type FileMarks, readMarks } from './support/file-marks.ts'
import { idleShare, idleTurns, readMachine } from './support/idle-machine.ts'
import { enginesVariable, isPartOf, type Length, lengthVariable, readLength } from './support/length.ts'
import { leaveOutPassed, tellPassed } from './support/passed-before.ts'
import { planTestRun, type TestProcess } from './support/plan-test-run.ts'
import { processorSeconds } from './support/processor-seconds.ts'
import { inRunFolder } from './support/run-folder.ts'
import { describe, type FileResult, type RunOptions, runTestFile, seconds } from './support/run-test-file.ts'
import { type GroupResult, runTestGroup } from './support/run-test-group.ts'
import { trySecond } from './support/second-try.ts'
import { onSqliteOnly, statementsVariable } from './support/seen-statements.ts'
import { type AllowedSkips, reportSkips } from './support/skip-report.ts'
import { readSlowFiles, writeSlowFiles } from './support/slow-files.ts'
import { postgresUrlVariable, startPostgres } from './support/start-postgres.ts'

/** More than processors: many files wait for clocks, disks and other programs. Those that are left to longer runs keep browsers and whole installations busy. */
const jobsOf = (length: Length): number => Math.min(8, availableParallelism() + (length === 'short' ? 2 : 1))
/** As long as processors are idle: of longer runs one file waits for minutes, and the other keeps all of them busy. */
const mostJobsOf = (length: Length): number => jobsOf(length) * (length === 'short' ? 1 : 2)
const root = fileURLToPath(new URL('..', import.meta.url))
const isCi = process.env['CI'] === 'true'
/** For what hangs: the slowest file needs three minutes, and several times that beside other work or on a slow machine. */
const fileTimeoutMs = isCi ? 1_200_000 : 600_000
const stopping = new AbortController()
/** That the folder cannot be written is no error: then every process compiles what it needs. */
const withCompileCache = { NODE_COMPILE_CACHE: join(root, '.node', 'compile-cache'), ...process.env }

const print = (text: string) => process.stdout.write(`${text}\n`)
/** A file with what it says of itself; one that is not there fails by itself, and no other with it. */
type MarkedFile = FileMarks & { file: string }

const markedFile = (file: string): MarkedFile => {
  const isThere = existsSync(file)
  const marks = readMarks(isThere ? readFileSync(file, 'utf8') : '')
  return { file, ...marks, isAlone: marks.isAlone || !isThere }
}

type Run = {
  files: MarkedFile[]
  length: Length
  /** All files of its length, not some that were named. */
  isWhole: boolean
  /** What fails beside others is tried again by itself. */
  secondTry: boolean
}

function plan({ files, length }: Run): TestProcess[] {
  const slow = readSlowFiles(root)
  return planTestRun(
    files.map(({ file, isAlone, isLast, bothEnginesFrom }) => ({
      file,
      isAlone,
      isLast,
      seconds: slow.secondsOf(file),
      onBothEngines: isPartOf(length, bothEnginesFrom),
    })),
  )
}

async function runProcessOf(files: string[], options: RunOptions): Promise<GroupResult> {
  const [file, ...more] = files
  if (file && more.length === 0) return { results: [await runTestFile(file, options)], notRun: [] }
  return runTestGroup(files, options)
}

/** All but long runs take the second engine only where a file says that its SQL differs, or where the caller says so. */
const environmentOf = ({ onBothEngines }: TestProcess, length: Length): NodeJS.ProcessEnv => ({
  [lengthVariable]: length,
  ...(onBothEngines ? {} : { [enginesVariable]: process.env[enginesVariable] ?? 'sqlite' }),
})

type RunIn = { env: NodeJS.ProcessEnv; signal: AbortSignal }

type Waiting = { processes: TestProcess[]; run: Run; in: RunIn }

/** What a process did not come to goes back to the front. */
async function runNext(next: TestProcess, { processes, run, in: { env, signal } }: Waiting) {
  const ran = await runProcessOf(next.files, {
    timeoutMs: fileTimeoutMs,
    env: { ...env, ...environmentOf(next, run.length) },
    signal,
  })
  if (ran.notRun.length > 0) processes.unshift({ ...next, files: ran.notRun })
  if (!signal.aborted) for (const result of ran.results) print(describe(result))
  return ran.results
}

/** Takes one process after the other until none is left, each when it may begin. */
async function work(waiting: Waiting, mayBegin?: () => Promise<void>): Promise<FileResult[]> {
  const { processes } = waiting
  const results: FileResult[] = []
  for (;;) {
    await mayBegin?.()
    const next = processes.shift()
    if (!next || waiting.in.signal.aborted) return results
    results.push(...(await runNext(next, waiting)))
  }
}

/** Where one of them throws, the others are stopped, and have ended when it is thrown on. */
async function runSideBySide(run: Run, env: NodeJS.ProcessEnv): Promise<FileResult[]> {
  const broken = new AbortController()
  const signal = AbortSignal.any([stopping.signal, broken.signal])
  const waiting = { processes: plan(run), run, in: { env, signal } }
  const isOver = () => waiting.processes.length === 0 || signal.aborted
  const whereIdle = idleTurns(isOver)
  const workers = Array.from({ length: mostJobsOf(run.length) }, (_, n) =>
    work(waiting, n < jobsOf(run.length) ? undefined : whereIdle).catch((error: unknown) => {
      broken.abort()
      throw error
    }),
  )
  await Promise.allSettled(workers)
  const results = (await Promise.all(workers)).flat()
  if (!run.secondTry || stopping.signal.aborted) return results
  const isFile = (name: string) => run.files.some(({ file }) => file === name)
  const second = await trySecond(results, isFile, (names) => {
    print('- what failed, once more by itself')
    const alone = run.files
      .filter(({ file }) => names.includes(file))
      .flatMap((file) => plan({ ...run, files: [file] }))
    return work({ ...waiting, processes: alone })
  })
  for (const line of second.lines) print(line)
  return second.results
}

/** What a run has against itself, beside what its files say. */
const failureOf = (file: string, details: string): FileResult => {
  const failure = {
    file,
    passed: 0,
    failed: 1,
    skipped: 0,
    skips: [],
    durationMs: 0,
    processorSeconds: null,
    details,
  }
  print(describe(failure))
  return failure
}

/** Which files take both engines is written at their heads: what that leaves out is found here. */
const failuresOfStatements = (run: Run, folder: string): FileResult[] => {
  if (!run.isWhole || run.length === 'short' || stopping.signal.aborted) return []
  return onSqliteOnly(folder).map((statement) =>
    failureOf('statements', `${statement}: no test runs it on PostgreSQL (CONTRIBUTING.md, both engines)`),
  )
}

async function runFiles(run: Run, env: NodeJS.ProcessEnv): Promise<FileResult[]> {
  const { done, problem } = await inRunFolder(async (folder) => {
    const statements = process.env[statementsVariable] ?? join(folder, 'statements')
    const results = await runSideBySide(run, { ...env, TMPDIR: folder, [statementsVariable]: statements })
    return [...results, ...failuresOfStatements(run, statements)]
  })
  return problem === null ? done : [...done, failureOf('leftovers', problem)]
}

/** Runs the files with a PostgreSQL server that lives exactly as long as they do, unless the caller named one. */
async function runWithPostgres(run: Run): Promise<FileResult[]> {
  if (process.env[postgresUrlVariable]) return runFiles(run, withCompileCache)
  const [postgres] = await Promise.all([startPostgres(), fillCompileCache(withCompileCache)])
  try {
    return await runFiles(run, { ...withCompileCache, [postgresUrlVariable]: postgres.url })
  } finally {
    await postgres.stop()
  }
}

const readAllowedSkips = (): AllowedSkips =>
  JSON.parse(readFileSync(join(root, 'test', 'allowed-skips.json'), 'utf8'))

const startedOn = readMachine()

const costOf = (durationMs: number): string => {
  const processors = processorSeconds()
  const idle = `${(idleShare(startedOn, readMachine()) * 100).toFixed(0)} % of the machine idle`
  return `- ${seconds(durationMs)}${processors === null ? '' : `, ${processors.toFixed(0)} s of processors`}, ${idle}`
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

/** What was asked for. Named files all run, and try what the longest run that one of them belongs to would try. */
function chooseFiles(named: string[], asked: Length): Run & { leftOut: number } {
  if (named.length > 0) {
    const files = named.map((file) => markedFile(relative(root, resolve(file))))
    const length = files.reduce<Length>(
      (longest, { from }) => (isPartOf(from, longest) ? from : longest),
      asked,
    )
    return { files, length, isWhole: false, secondTry: false, leftOut: 0 }
  }
  const all = globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] }).map(markedFile)
  const files = all.filter(({ from }) => isPartOf(asked, from))
  return { files, length: asked, isWhole: true, secondTry: true, leftOut: all.length - files.length }
}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: {
      length: { type: 'string', default: 'short' },
      record: { type: 'boolean', default: false },
      'second-try': { type: 'boolean', default: false },
      'tell-passed': { type: 'string' },
      'passed-before': { type: 'string', default: '' },
    },
    allowPositionals: true,
  })
  const { leftOut, ...chosen } = chooseFiles(positionals, readLength(values.length))
  const { files, before } = leaveOutPassed(chosen.files, values['passed-before'], chosen.length)
  const run = { ...chosen, files, secondTry: chosen.secondTry || values['second-try'] }
  const most = mostJobsOf(run.length)
  const more = most > jobsOf(run.length) ? `, ${most} where processors are idle` : ''
  const left = leftOut > 0 ? `, ${leftOut} left to longer runs` : ''
  print(
    `- tests, ${run.length} run (${files.length} files${left}, ${jobsOf(run.length)} processes at a time${more})`,
  )
  if (before.files.length > 0)
    print(
      `- ${before.files.length} files passed before, and nothing can have changed them since: ${before.files.join(', ')}`,
    )
  if (before.sources) print('- types, format and lint passed before')
  const checksSources = positionals.length === 0 && !before.sources
  const [sourceFailures, results] = await Promise.all([
    checksSources ? checkSources({ root, print, signal: stopping.signal }) : 0,
    // A single file starts its own server if it needs one.
    files.length > 1 ? runWithPostgres(run) : runFiles(run, withCompileCache),
  ])
  if (values.record) writeSlowFiles(root, results)
  const sourcesPassed = checksSources && sourceFailures === 0
  if (values['tell-passed']) tellPassed(values['tell-passed'], run.length, results, sourcesPassed)
  const skips = reportSkips(results, { allowed: readAllowedSkips(), isCi })
  for (const line of skips.lines) print(line)
  const passed = before.passed + sum(results.map((result) => result.passed))
  const skipped = sum(results.map((result) => result.skipped)) - skips.refused
  const failed = sum(results.map((result) => result.failed)) + sourceFailures + skips.refused
  print(costOf(performance.now()))
  print(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  return failed === 0 && passed > 0 ? 0 : 1
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    print(`stopped by ${signal}`)
    process.exitCode = 128 + constants.signals[signal]
    stopping.abort()
  })
// Who read what we print has gone, as in `npm test | head`: nobody waits for the rest.
process.stdout.on('error', () => {
  process.exitCode = 1
  stopping.abort()
})

process.chdir(root)
const exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (stopping.signal.aborted) return 1
  // The run itself broke: that is a failure too, and the last line stays the count.
  print(`${error instanceof Error ? error.stack : error}\n0 passed, 1 failed`)
  return 1
})
process.exitCode ??= exitCode
