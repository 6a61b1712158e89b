/**
 * Which statements the tests of a process ran on which engine. `test/run.ts` names a folder in TEST_STATEMENTS, where each
 * process leaves its list, and fails a run in which a statement ran on SQLite only.
 */
import { appendFileSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from '../../control-plane/platform/store/database/engines.ts'
import type { StatementWatch } from '../../control-plane/platform/store/database/statement-watch.ts'

export const statementsVariable = 'TEST_STATEMENTS'

const seen = new Set<string>()
const folder = process.env[statementsVariable]

if (folder !== undefined)
  process.once('exit', () => {
    if (seen.size === 0) return
    mkdirSync(folder, { recursive: true })
    // Numbers of processes come again.
    appendFileSync(join(folder, `${process.pid}`), `${[...seen].join('\n')}\n`)
  })

/** What PostgreSQL does in other words: periods of results are partitions there, rows are written many at once, and it commits itself. */
const ofSqliteAlone = [
  'commit',
  'grow-result-period',
  'large-result-period',
  'result-period-around',
  'result-periods-with-starts',
  'write-rollup',
]

/** A name for both engines: with a table for each period it has a number, and one for many rows says so (row-statement.ts). */
const sharedName = (name: string): string => name.replace(/_\d+$/, '').replace(/-rows$/, '')

/** For a database of a test that watches its statements for nothing else. Only `query()` gives names that both engines share. */
export const seenOn = (engine: Engine['name']): StatementWatch => ({
  monotonic: () => 0,
  note: ({ name }) => {
    if (name !== null) seen.add(`${engine} ${sharedName(name)}`)
  },
})

/** Statements in the lists of `folder` that no test has run on PostgreSQL, but for the tests' own. */
export function onSqliteOnly(folder: string): string[] {
  const lists = globSync('*', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'))
  const all = new Set(lists.flatMap((list) => list.split('\n')))
  const of = (engine: Engine['name']) =>
    [...all].filter((line) => line.startsWith(`${engine} `)).map((line) => line.slice(engine.length + 1))
  const onPostgres = new Set([...of('postgres'), ...ofSqliteAlone])
  return of('sqlite')
    .filter((statement) => !onPostgres.has(statement) && !statement.startsWith('test-'))
    .toSorted()
}
