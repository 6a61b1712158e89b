import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { onSqliteOnly, statementsVariable } from './seen-statements.ts'

const module = import.meta.resolve('./seen-statements.ts')

/** Runs a process that ran these statements, and leaves its list in `folder`. */
const ran = (folder: string, statements: [engine: string, name: string | null][]) => {
  const program = `const { seenOn } = await import(${JSON.stringify(module)})
    for (const [engine, name] of ${JSON.stringify(statements)}) seenOn(engine).note({ name, sql: 'select 1', kind: 'read' }, 0)`
  const env = { ...process.env, [statementsVariable]: folder }
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { env }).status
}

t.test('what ran on SQLite only is named, whichever process ran it', async (t) => {
  const folder = join(t.testdir(), 'statements')
  const both = ['find-check', 'insert-into-docs_1'] as const
  t.equal(ran(folder, [...both.map((name): [string, string] => ['sqlite', name]), ['sqlite', 'probe']]), 0)
  t.strictSame(onSqliteOnly(folder), ['find-check', 'insert-into-docs', 'probe'])
  t.equal(
    ran(folder, [
      ['postgres', 'find-check'],
      ['postgres', 'insert-into-docs-rows'],
      ['postgres', 'lock'],
    ]),
    0,
  )
  t.strictSame(onSqliteOnly(folder), ['probe'])
})

t.test(
  'statements of tests, without a name, or of tables that PostgreSQL does not have are left out',
  async (t) => {
    const folder = join(t.testdir(), 'statements')
    t.equal(
      ran(folder, [
        ['sqlite', 'test-insert'],
        ['sqlite', null],
        ['sqlite', 'grow-result-period'],
      ]),
      0,
    )
    t.strictSame(onSqliteOnly(folder), [])
    t.equal(ran(folder, []), 0)
    t.equal(readdirSync(folder).length, 1, 'a process that asked nothing leaves no list')
  },
)
