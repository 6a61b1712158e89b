// Runs in test:all only: its programs are killed again and again.
/** A control plane that is killed while retention works: what should stay is there, and the next one does the rest. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { findResultById } from '../../control-plane/monitoring/results/stored/find-results.ts'
import { insertResults } from '../../control-plane/monitoring/results/stored/insert-results.ts'
import { makePeriods } from '../../control-plane/monitoring/results/stored/make-periods.ts'
import { periodTableNames } from '../../control-plane/monitoring/results/stored/period-table-names.ts'
import type { ResultWithDoc } from '../../control-plane/monitoring/results/stored/result.ts'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { migrate } from '../../control-plane/platform/store/database/migrate.ts'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { sqliteErrors } from '../../control-plane/platform/store/database/sqlite-backup.ts'
import { allResultIds, countRows } from '../support/all-results.ts'
import { prepareStore } from '../support/prepare-store.ts'
import { accountId, agentKey, apiKey, scratchFolder, spawnControlPlane } from '../support/programs.ts'
import { dayMs, idAt, resultAt, storeRows } from '../support/retention-rows.ts'
import { until } from '../support/until.ts'

const doc = JSON.stringify({ name: 'site', error: 'x'.repeat(1500) })
const old = 40_000
/** Those that end one by one. */
const alone = 4000
const young = 500

const fill = async (db: Database): Promise<void> => {
  const now = Date.now()
  const checks = Array.from({ length: 10 }, () => idAt(now))
  const made = (count: number, days: number) =>
    Array.from({ length: count }, (_, n) =>
      resultAt(now - days * dayMs + n * 20, checks[n % checks.length] ?? '', { doc, has_failures: true }),
    )
  await storeRows(db, { results: [...made(alone, 40), ...made(young, 1)] })
}

const countsOf = async (db: Database): Promise<{ old: number; young: number }> => {
  const limit = idAt(Date.now() - 20 * dayMs)
  const ids = await allResultIds(db)
  const count = ids.filter((id) => id < limit).length
  return { old: count, young: ids.length - count }
}

t.test('killed while results end one by one, and started again', async (t) => {
  const dataDir = await scratchFolder(t)
  const file = join(dataDir, 'watchpost.db')
  const db = openDatabase(`sqlite:${file}`)
  t.teardown(() => db.close())
  await migrate(db, Date.now())
  await fill(db)
  const start = () => {
    const env = { BOOTSTRAP_ACCOUNT_ID: accountId, BOOTSTRAP_API_KEY: apiKey, BOOTSTRAP_AGENT_KEY: agentKey }
    const program = spawnControlPlane({ dataDir, env })
    t.teardown(() => program.end('SIGKILL'))
    return program
  }
  const first = start()
  await until('some are gone', async () => (await countRows(db)) < alone + young - 200, 20)
  await first.end('SIGKILL')
  const between = await countsOf(db)
  t.ok(between.old > 0, `${between.old} of ${alone} are left`)
  t.equal(between.young, young)
  t.strictSame(sqliteErrors(file), [])
  const second = start()
  await until('all are gone', async () => (await countRows(db)) === young, 500)
  t.strictSame(await countsOf(db), { old: 0, young })
  await second.end('SIGTERM')
  t.equal(await second.exitCode(), 0)
  t.strictSame(sqliteErrors(file), [])
})

/** Of this check there is nothing younger. */
const fillPeriods = async (
  db: Database,
  now: number,
): Promise<{ young: ResultWithDoc[]; kept: ResultWithDoc }> => {
  const checks = Array.from({ length: 10 }, () => idAt(now))
  const made = (count: number, days: number, checkIds: readonly string[]) =>
    Array.from({ length: count }, (_, n) =>
      resultAt(now - days * dayMs + n * 20, checkIds[n % checkIds.length] ?? '', {
        doc: JSON.stringify({ name: 'site', error: 'x'.repeat(1500), metrics: { dns: n } }),
        has_failures: n % 2 === 0,
      }),
    )
  const younger = made(young, 1, checks)
  const silent = made(20, 40, [idAt(now)])
  await makePeriods(db, { now: now - dayMs })
  const all = [...made(old, 40, checks), ...silent, ...younger]
  for (let from = 0; from < all.length; from += 1000)
    await db.transaction((trx) => insertResults(trx, all.slice(from, from + 1000)))
  return { young: younger, kept: silent.at(-1) as ResultWithDoc }
}

t.test('killed while periods are packed and end, again and again', async (t) => {
  const dataDir = await scratchFolder(t)
  const file = join(dataDir, 'watchpost.db')
  const db = openDatabase(`sqlite:${file}`)
  t.teardown(() => db.close())
  const now = Date.now()
  await prepareStore(db, now - 40 * dayMs)
  const { young: younger, kept } = await fillPeriods(db, now)
  const bytes = statSync(file).size
  const env = { BOOTSTRAP_ACCOUNT_ID: accountId, BOOTSTRAP_API_KEY: apiKey, BOOTSTRAP_AGENT_KEY: agentKey }
  const start = () => {
    const program = spawnControlPlane({ dataDir, env })
    t.teardown(() => program.end('SIGKILL'))
    return program
  }
  /** Changes with each document that is packed, each step of a period and each table. */
  const state = async (): Promise<string> => {
    const periods = await db.select((k) => k.selectFrom('result_periods').selectAll())
    return JSON.stringify([periods, await periodTableNames(db), await countRows(db)])
  }
  const allThere = async (when: string): Promise<void> => {
    t.strictSame(sqliteErrors(file), [])
    const lost: string[] = []
    for (const one of [...younger, kept]) {
      const { doc, ...row } = (await findResultById(db, one.id)) ?? { doc: '{}' }
      const { doc: given, ...expected } = one
      if (!isDeepStrictEqual(row, expected)) t.strictSame(row, expected, when)
      if (!isDeepStrictEqual(JSON.parse(doc).metrics, JSON.parse(given).metrics)) lost.push(one.id)
    }
    t.strictSame(lost, [], when)
  }
  for (const round of [1, 2, 3]) {
    const before = await state()
    const program = start()
    await until('something happened', async () => (await state()) !== before, 10)
    await program.end('SIGKILL')
    await allThere(`kill ${round}`)
  }
  const last = start()
  await until('all that is over is gone', async () => (await countRows(db)) === younger.length + 1, 500)
  await until('and its tables', async () => !(await periodTableNames(db)).includes('result_rows_1'))
  await until('the file shrinks', async () => statSync(file).size < bytes / 2)
  await allThere('at the end')
  await last.end('SIGTERM')
  t.equal(await last.exitCode(), 0)
})
