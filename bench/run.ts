/**
 * `npm run bench`: every benchmark, one after the other; `npm run bench -- P1 P3`: those only. Prints one table, and
 * writes what was measured to bench/results/<name>.json (unless `BENCH_SIZE=small`), from which `node docs/generate-benchmarks.ts` makes docs/benchmarks.md. The exit code is 0 whatever the speed: a machine may be slow,
 * and a goal that is missed is a row of the table. It is 1 when a benchmark could not be carried out. How fast the machine
 * was before and after each one is written beside its figures (`support/machine-speed.ts`).
 */
import './support/no-time-limit.ts'
import './support/compiled-once.ts'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import type { Bench, Row, Running } from './bench.ts'
import { benches } from './benches.ts'
import { type MachineSpeed, roundsPerCpuSecond, shownSpeed } from './support/machine-speed.ts'
import { isSmall } from './support/size.ts'
import { renderTable } from './table.ts'

const print = (line: string) => process.stdout.write(`${line}\n`)

/** What was measured; null outside of a clone. */
const commit = (): string | null => {
  const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8', cwd: import.meta.dirname })
  const head = git('rev-parse', '--short=10', 'HEAD')
  if (head.status !== 0) return null
  const isChanged = git('status', '--porcelain', '--', ':!results').stdout !== ''
  return `${head.stdout.trim()}${isChanged ? ' with changes' : ''}`
}

const machine = () => ({
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  cores: cpus().length,
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  memoryGb: Math.round(totalmem() / 2 ** 30),
  platform: `${process.platform}-${process.arch}`,
  commit: commit() ?? undefined,
})

const runOne = async (bench: Bench): Promise<Row[]> => {
  const undo: (() => unknown)[] = []
  const b: Running = {
    say: (line) => print(`   ${line}`),
    teardown: (put) => {
      undo.push(put)
    },
  }
  print(`${bench.id}  ${bench.measures}`)
  try {
    return await bench.run(b)
  } finally {
    for (const put of undo.reverse()) await put()
  }
}

const runAndStore = async (bench: Bench): Promise<Row[]> => {
  const before = roundsPerCpuSecond()
  const rows = await runOne(bench)
  const speed = { before, after: roundsPerCpuSecond() }
  print(`   the machine's speed: ${shownSpeed(speed)} rounds per CPU-second`)
  store(bench, rows, speed)
  return rows
}

const store = (bench: Bench, rows: Row[], speed: MachineSpeed): void => {
  const folder = new URL('./results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const text = JSON.stringify(
    { bench: bench.id, measures: bench.measures, machine: { ...machine(), speed }, rows },
    null,
    2,
  )
  writeFileSync(new URL(`${bench.name}.json`, folder), `${text}\n`)
}

const main = async (wanted: string[]): Promise<number> => {
  const unknown = wanted.filter((id) => !benches.some((bench) => bench.id === id))
  if (unknown.length > 0) {
    print(`There is no benchmark ${unknown.join(', ')}; there are ${benches.map(({ id }) => id).join(', ')}.`)
    return 1
  }
  const rows: Row[] = []
  let failures = 0
  for (const bench of benches.filter(({ id, onRequest }) =>
    wanted.length === 0 ? onRequest === undefined : wanted.includes(id),
  )) {
    try {
      rows.push(...(await (isSmall ? runOne : runAndStore)(bench)))
    } catch (error) {
      failures += 1
      print(`   could not be carried out: ${error instanceof Error ? error.stack : error}`)
    }
  }
  const { cores, processor, node, date, memoryGb } = machine()
  print(`\n${cores} cores (${processor}), ${memoryGb} GB, Node ${node}, ${date}\n`)
  print(renderTable(rows))
  for (const row of rows) for (const note of row.notes) print(`${row.name}: ${note}`)
  return failures === 0 ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2).map((id) => id.toUpperCase()))
