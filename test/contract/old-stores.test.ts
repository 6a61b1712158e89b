// Runs in test:all only: it fills and reads whole stores.
// Runs on both engines in test:all: stores of each engine are opened.
/**
 * The store of every released version is opened by this one: its migrations run over it, every document in it is read,
 * and the API answers what that version answered. Versions are folders of test/fixtures/stores.
 */
import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { packResultsTick } from '../../control-plane/monitoring/results/pack-results.ts'
import { retentionTick } from '../../control-plane/platform/retention/retention-tick.ts'
import { createCipher } from '../../control-plane/platform/services/secrets/cipher.ts'
import type { Engine } from '../../control-plane/platform/store/database/engines.ts'
import { migrate } from '../../control-plane/platform/store/database/migrate.ts'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { retentionKinds } from '../../control-plane/retention.ts'
import { allResults } from '../support/all-results.ts'
import { testApp } from '../support/app.ts'
import { engineNames, freshDatabaseUrl } from '../support/databases.ts'
import { everySignIn } from '../support/every-sign-in.ts'
import { fillStore } from '../support/full-store.ts'
import { countAll, takeIn } from '../support/rollups.ts'
import {
  everyRow,
  loadStore,
  type StoreFixture,
  sqliteTables,
  storeFixtures,
} from '../support/store-fixture.ts'
import { keyFor, shortOf } from '../support/store-reads.ts'
import { documentsOfResults, problemsIn, storedColumns } from '../support/stored-columns.ts'
import { storeCheck } from '../support/stored-results.ts'

/** What a later version answers otherwise on purpose, as `differences` says it. */
const changedSince: readonly RegExp[] = []
const isOnPurpose = (difference: string): boolean => changedSince.some((known) => known.test(difference))

const opened = async (t: Test, fixture: StoreFixture, engine: Engine['name']) => {
  const url = await freshDatabaseUrl(t, engine)
  await loadStore(fixture, url)
  const db = openDatabase(url)
  t.teardown(() => db.close())
  await migrate(db, fixture.access.writtenAt)
  const now = () => fixture.access.writtenAt
  // Time stands: whoever waits for some to pass waits until it is told to end.
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
  const clock = { now, monotonic: now, sleep }
  const cipher = createCipher([Buffer.from(fixture.access.encryptionKey, 'base64')], randomBytes)
  return testApp(t, { parts: { db, clock, cipher } })
}

/** Where `given` is not what was expected; fields that are new are nobody's loss. */
const differences = (expected: unknown, given: unknown, path = ''): string[] => {
  if (expected === null || typeof expected !== 'object' || given === null || typeof given !== 'object')
    return Object.is(expected, given)
      ? []
      : [`${path}: ${JSON.stringify(given)}, was ${JSON.stringify(expected)}`]
  const names = new Set(Object.keys(expected))
  if (Array.isArray(expected)) for (const position of Object.keys(given)) names.add(position)
  const [before, after] = [expected, given] as Record<string, unknown>[]
  return [...names].flatMap((name) => differences(before?.[name], after?.[name], `${path}/${name}`))
}

const fixtures = storeFixtures()
t.ok(fixtures.length > 0, 'there are stores of released versions')

for (const fixture of fixtures)
  for (const engine of engineNames)
    t.test(`the store of ${fixture.version} is read by this version (${engine})`, async (t) => {
      const plane = await opened(t, fixture, engine)
      for (const column of storedColumns) {
        const rows = await everyRow(plane.app.db, column.table)
        t.strictSame(
          problemsIn({ ...column, rows }, plane.app.cipher),
          [],
          `${column.table}.${column.column}`,
        )
      }
      const results = await allResults(plane.app.db)
      t.ok(results.length > 0, 'results, packed and not, are found with their documents')
      t.strictSame(problemsIn({ ...documentsOfResults, rows: results as never }, plane.app.cipher), [])
      for (const answered of fixture.answers) {
        const answer = await plane.call('GET', answered.path, keyFor(fixture.access.apiKey, answered))
        const { status, type, body } = shortOf(answer)
        t.strictSame([status, type], [answered.status, answered.type], answered.path)
        const lost = differences(answered.body, body).filter((one) => !isOnPurpose(one))
        t.strictSame(lost, [], answered.path)
      }
    })

t.test(
  'a store in which everything happened has rows in every table, and a codec for every JSON text',
  async (t) => {
    const plane = await testApp(t)
    await fillStore(plane)
    // A day is over, and what is left of it is packed.
    plane.advance(26 * 3_600_000)
    await packResultsTick(plane.app, new AbortController().signal)
    await retentionTick(retentionKinds)(plane.app, new AbortController().signal)
    plane.advance(2 * 3_600_000)
    await countAll(plane.app)
    // Those of the day before are over.
    await everySignIn(plane)
    await takeIn(plane, [{ checkId: await storeCheck(plane), at: 1 }])
    const { db, cipher } = plane.app
    const known = new Set(
      [...storedColumns, documentsOfResults].map(({ table, column }) => `${table}.${column}`),
    )
    // Of tables that each period has, one is enough.
    const filled = new Map<string, boolean>()
    for (const table of await sqliteTables(db)) {
      const rows = await everyRow(db, table)
      const base = table.replace(/^(result_[a-z]+)_(\d+|retained)$/, '$1')
      filled.set(base, filled.get(base) === true || rows.length > 0)
      const isJson = (value: unknown) => typeof value === 'string' && /^(\{.*\}|\[.*\])$/s.test(value)
      for (const column of Object.keys(rows[0] ?? {}))
        if (rows.some((row) => isJson(row[column])))
          t.ok(known.has(`${base}.${column}`), `${table}.${column}`)
    }
    for (const [table, has] of filled) t.ok(has, `${table} has rows`)
    const documents = await allResults(db)
    t.strictSame(problemsIn({ ...documentsOfResults, rows: documents as never }, cipher), [])
    for (const column of storedColumns) {
      const rows = await everyRow(db, column.table)
      t.strictSame(
        problemsIn({ ...column, rows }, cipher),
        [],
        `${column.table}.${column.column} fits its schema`,
      )
    }
  },
)
