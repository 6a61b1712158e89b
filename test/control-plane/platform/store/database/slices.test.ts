// Runs on both engines: it is the store itself.
import BetterSqlite from 'better-sqlite3'
import t from 'tap'
import { listResults, listResultsPage } from '../../../../../control-plane/monitoring/results/queries.ts'
import { longRead } from '../../../../../control-plane/platform/long-reads/long-read.ts'
import { eachSlice } from '../../../../../control-plane/platform/long-reads/read-slices.ts'
import { builderFor } from '../../../../../control-plane/platform/store/database/builder.ts'
import { engines } from '../../../../../control-plane/platform/store/database/engines.ts'
import { migrate } from '../../../../../control-plane/platform/store/database/migrate.ts'
import { openDatabase } from '../../../../../control-plane/platform/store/database/open.ts'
import {
  nextSlice,
  type OrderedList,
  type Position,
  type Slice,
  selectSlice,
} from '../../../../../control-plane/platform/store/database/slices.ts'
import { eachEngine, type TestApp } from '../../../../support/app.ts'
import { freshDatabaseUrl } from '../../../../support/databases.ts'
import { storeCheck, storeResult } from '../../../../support/stored-results.ts'

const signal = new AbortController().signal
const place = (at: number, id = 'x'): Position => ({ at, id })

const list = (more: Partial<OrderedList<'missed_runs'>> = {}): OrderedList<'missed_runs'> => ({
  table: 'missed_runs',
  index: 'missed_runs_check',
  owner: ['check_id', 'c'],
  at: 'last_due_at',
  direction: 'newest-first',
  ...more,
})

t.test('SQLite goes straight to the first row of a slice and stops behind the last', async (t) => {
  const url = await freshDatabaseUrl(t, 'sqlite')
  const db = openDatabase(url)
  await migrate(db, 0).finally(() => db.close())
  const file = new BetterSqlite(url.slice('sqlite:'.length), { readonly: true })
  t.teardown(() => file.close())
  const engine = engines.sqlite
  const planOf = (of: OrderedList<'missed_runs'>, slice: Slice): string => {
    const { sql } = selectSlice({ k: builderFor(engine), engine }, of, slice)
      .select('id')
      .compile()
    const values = sql.match(/\?/g)?.map(() => null) ?? []
    const steps = file.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(...values)
    return steps.map(({ detail }) => detail).join(' | ')
  }
  const [first, last] = ['(last_due_at,id)>(?,?)', '(last_due_at,id)<(?,?)']
  const window = { from: 1, to: 9 }
  const search = (index: string, ...bounds: string[]) =>
    `SEARCH missed_runs USING COVERING INDEX ${index} (${['check_id=?', ...bounds].join(' AND ')})`
  for (const direction of ['newest-first', 'oldest-first'] as const)
    for (const more of [{}, window])
      t.equal(
        planOf(list({ direction, ...more }), { after: place(5), until: place(4) }),
        search('missed_runs_check', first, last),
        `between two places, ${direction}`,
      )
  t.equal(
    planOf(list(window), { after: place(5), until: null }),
    search('missed_runs_check', 'last_due_at>?', last),
    'from a place to the end of the window',
  )
  t.equal(
    planOf(list({ ...window, direction: 'oldest-first' }), { after: place(5), until: null }),
    search('missed_runs_check', first, 'last_due_at<?'),
  )
  t.equal(
    planOf(list(window), { after: null, until: null }),
    search('missed_runs_check', 'last_due_at>?', 'last_due_at<?'),
    'between two instants',
  )
})

const storeMissedRun = async (
  { app, accountId }: TestApp,
  { checkId, at }: { checkId: string; at: number },
): Promise<string> => {
  const id = app.newId()
  await app.db.execute((k) =>
    k.insertInto('missed_runs').values({
      id,
      account_id: accountId,
      check_id: checkId,
      location: 'local',
      reason: 'EXPIRED',
      detail: '',
      first_due_at: at,
      last_due_at: at,
      period_ms: 60_000,
      count: 1,
      created_at: at,
    }),
  )
  return id
}

const orderings: Record<string, Partial<OrderedList<'missed_runs'>>> = {
  oldest: { direction: 'oldest-first' },
  newest: { direction: 'newest-first' },
  newestWithLowestId: { direction: 'newest-first', lowestIdFirst: true },
}

eachEngine(
  'slices meet without a gap, whatever their size, also where runs started together',
  async (t, plane) => {
    const { app } = plane
    const checkId = app.newId()
    const groups = new Map<number, string[]>()
    for (let i = 0; i < 23; i++) {
      const at = 1000 + Math.floor(i / 4)
      groups.set(at, [...(groups.get(at) ?? []), await storeMissedRun(plane, { checkId, at })])
    }
    const within = [...groups.values()].map((together) => together.toSorted()).slice(1, 5)
    const orders = {
      oldest: within.flat(),
      newest: within.flat().toReversed(),
      newestWithLowestId: within.toReversed().flat(),
    }
    for (const size of [1, 2, 3, 7, 23, 24])
      for (const [order, expected] of Object.entries(orders)) {
        const of = list({ owner: ['check_id', checkId], from: 1001, to: 1005, ...orderings[order] })
        const seen: string[] = []
        let slice: Slice = { after: null, until: null }
        do {
          slice = await nextSlice(app.db, of, { after: slice.until, size })
          const rows = await app.db.select((k, engine) => selectSlice({ k, engine }, of, slice).select('id'))
          t.ok(rows.length <= size)
          seen.push(...rows.map(({ id }) => id))
        } while (slice.until !== null)
        t.strictSame(seen, expected, `${order}, ${size} at once`)
      }
  },
)

eachEngine('a few results among many are found, page by page and by number', async (t, plane) => {
  const { app, accountId } = plane
  const checkId = await storeCheck(plane)
  const failed: string[] = []
  for (let i = 0; i < 600; i++) {
    const hasFailures = i % 200 === 150
    const id = await storeResult(plane, { checkId, at: 1000 + i, hasFailures, hasErrors: i % 200 === 20 })
    if (hasFailures) failed.unshift(id)
  }
  const filter = { accountId, checkId, resultType: 'FINAL' as const, hasFailures: true }
  const ask = <T>(work: Parameters<typeof longRead<T>>[2]) => longRead(app, { accountId, signal }, work)
  const found = await ask((reading) => listResults({ db: app.db, reading }, filter, 2))
  t.strictSame(
    found.map(({ id }) => id),
    failed.slice(0, 2),
  )
  const last = found.at(-1)
  const after: [number, string] = [last?.started_at ?? 0, last?.id ?? '']
  const rest = await ask((reading) => listResults({ db: app.db, reading }, { ...filter, after }, 2))
  t.strictSame(
    rest.map(({ id }) => id),
    failed.slice(2),
  )
  const { hasFailures: _, ...all } = filter
  const page = await ask((reading) =>
    listResultsPage({ db: app.db, reading }, all, { limit: 3, offset: 249 }),
  )
  t.equal(page.total, 600)
  t.strictSame(
    page.rows.map(({ started_at }) => started_at),
    [1350, 1349, 1348],
    'across the end of a slice',
  )
  const beyond = await ask((reading) =>
    listResultsPage({ db: app.db, reading }, all, { limit: 3, offset: 6000 }),
  )
  t.strictSame(beyond, { rows: [], total: 600 })
})

eachEngine('reading ends where it has enough', async (t, plane) => {
  const { app, accountId } = plane
  const checkId = app.newId()
  for (let i = 0; i < 300; i++) await storeMissedRun(plane, { checkId, at: 1000 + i })
  let slices = 0
  await longRead(app, { accountId, signal }, (reading) =>
    eachSlice({ db: app.db, reading }, list({ owner: ['check_id', checkId] }), {
      read: async () => {
        slices += 1
        return false
      },
    }),
  )
  t.equal(slices, 1)
})
