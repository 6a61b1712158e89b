/**
 * `npm test`: format and lint, types, then every test file; `npm test -- a.test.ts …` runs only those files.
 *
 * Each test file is a program of its own (`node test/x.test.ts` works too). This one runs them side by side
 * against one PostgreSQL server, and adds up what tap counted. The last line is always the count, as in
 * `120 passed, 0 failed, 2 skipped`; the exit code is 0 only if something passed and nothing failed. With
 * CI=true a skip is a failure, unless test/allowed-skips.json has its reason.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, constants, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FileResult, runTestFile } from './support/run-test-file.ts'
import { postgresUrlVariable, startPostgres } from './support/start-postgres.ts'

/** For what hangs: the slowest file needs a minute, and several times that beside other work. */
const fileTimeoutMs = 600_000
const jobs = Math.min(4, Math.max(2, availableParallelism() + 1))
const root = fileURLToPath(new URL('..', import.meta.url))
const isCi = process.env['CI'] === 'true'
const stopping = new AbortController()

const print = (line: string) => process.stdout.write(`${line}\n`)
const seconds = (durationMs: number) => `${(durationMs / 1000).toFixed(1)} s`

/** Runs one tool to its end, its output shown; returns the number of failures it stands for: 0 or 1. */
function runTool(title: string, args: string[]): number {
  print(`- ${title}`)
  const result = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 1, 2] })
  if (result.status === 0) return 0
  print(`FAIL ${title}`)
  return 1
}

function checkSources(): number {
  const colors = process.stdout.isTTY ? [] : ['--colors=off']
  return (
    runTool('format and lint (biome)', ['node_modules/@biomejs/biome/bin/biome', 'ci', ...colors]) +
    runTool('types (tsc)', ['node_modules/typescript/bin/tsc', '-p', '.'])
  )
}

function describe({ file, passed, failed, skipped, durationMs, details }: FileResult): string {
  const counts = `${passed} passed${failed ? `, ${failed} failed` : ''}${skipped ? `, ${skipped} skipped` : ''}`
  const line = `${failed ? 'FAIL' : 'ok  '} ${file}  ${counts}  ${seconds(durationMs)}`
  return details ? `${line}\n${details.replace(/^/gm, '     | ')}` : line
}

async function runFiles(files: string[], env: NodeJS.ProcessEnv): Promise<FileResult[]> {
  const waiting = [...files]
  // One place for what the files write: also those that are killed leave nothing behind.
  const temporary = mkdtempSync(join(tmpdir(), 'watchpost-test-run-'))
  chmodSync(temporary, 0o755) // tests may start programs under another user
  const fileEnv = { ...env, TMPDIR: temporary }
  const results: FileResult[] = []
  const work = async () => {
    for (let file = waiting.shift(); file && !stopping.signal.aborted; file = waiting.shift()) {
      const result = await runTestFile(file, {
        timeoutMs: fileTimeoutMs,
        env: fileEnv,
        signal: stopping.signal,
      })
      if (!stopping.signal.aborted) print(describe(result))
      results.push(result)
    }
  }
  await Promise.all(Array.from({ length: jobs }, work)).finally(() =>
    rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }),
  )
  return results
}

/** Runs `files` with a PostgreSQL server that lives exactly as long as they do, unless the caller named one. */
async function runWithPostgres(files: string[]): Promise<FileResult[]> {
  if (process.env[postgresUrlVariable]) return runFiles(files, process.env)
  const postgres = await startPostgres()
  try {
    return await runFiles(files, { ...process.env, [postgresUrlVariable]: postgres.url })
  } finally {
    await postgres.stop()
  }
}

/** Names every skip; returns how many of them count as failures. */
function reportSkips(results: FileResult[]): number {
  const allowed: Record<string, string> = JSON.parse(
    readFileSync(join(root, 'test', 'allowed-skips.json'), 'utf8'),
  )
  let refused = 0
  for (const { file, skips } of results)
    for (const { name, reason } of skips) {
      const isRefused = isCi && !Object.hasOwn(allowed, reason)
      if (isRefused) refused++
      print(`${isRefused ? 'FAIL ' : ''}skipped: ${file}: ${name}: ${reason}`)
    }
  return refused
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

async function main(chosen: string[]): Promise<number> {
  const sourceFailures = chosen.length > 0 ? 0 : checkSources()
  const files =
    chosen.length > 0
      ? chosen.map((file) => relative(root, resolve(file)))
      : globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] }).sort()
  print(`- tests (${files.length} files, ${jobs} at a time)`)
  // A single file starts its own server if it needs one.
  const results = files.length > 1 ? await runWithPostgres(files) : await runFiles(files, process.env)
  if (stopping.signal.aborted) return 1
  const refusedSkips = reportSkips(results)
  const passed = sum(results.map((result) => result.passed))
  const skipped = sum(results.map((result) => result.skipped)) - refusedSkips
  const failed = sum(results.map((result) => result.failed)) + sourceFailures + refusedSkips
  print(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  return failed === 0 && passed > 0 ? 0 : 1
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    print(`stopped by ${signal}`)
    process.exitCode = 128 + constants.signals[signal]
    stopping.abort()
  })

process.chdir(root)
const exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  // The run itself broke: that is a failure too, and the last line stays the count.
  print(`${error instanceof Error ? error.stack : error}\n0 passed, 1 failed`)
  return 1
})
process.exitCode ??= exitCode
