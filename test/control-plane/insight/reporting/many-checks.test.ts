// Runs in test:all only: it fills and reads whole stores.
// Runs on both engines in test:all: rows are counted and added up.
/** A report reads many checks with each statement: each says what analytics says of it alone. */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { summarize } from '../../../../control-plane/insight/analytics/summaries.ts'
import { reportPage } from '../../../../control-plane/insight/reporting/report.ts'
import { insertResults } from '../../../../control-plane/monitoring/runs/result-queries.ts'
import { uuidV7 } from '../../../../control-plane/platform/words/uuid.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { randomFrom } from '../../../support/random.ts'
import { countAll, takeIn } from '../../../support/rollups.ts'
import { seed, seedNote } from '../../../support/seed.ts'
import { newStoredResult, type StoredResult, storeCheck } from '../../../support/stored-results.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

type Item = { checkId: string; name: string; tags: string[]; aggregate: Aggregate }
type Aggregate = { successRatio: number | null; avg: number | null; p95: number | null; p99: number | null }

/** Of a check whose number is `n`: none, few or many; some failed, some could not be judged. */
const runsOf = (checkId: string, n: number, now: number): StoredResult[] => {
  const many = [0, 1, 7, 300, 3500][n % 5] ?? 0
  return Array.from({ length: many }, (_, run) => ({
    checkId,
    at: now - 1 - Math.floor((run * 3.5 * day) / many) - n * 1000,
    location: run % 2 === 0 ? 'local' : 'elsewhere',
    responseTime: 20 + ((run * 7919 + n * 31) % 977) / 3,
    hasFailures: run % 9 === 4,
    hasErrors: run % 50 === 33,
    isCancelled: run % 60 === 41,
    resultType: run % 40 === 17 ? 'ATTEMPT' : 'FINAL',
  }))
}

for (const engine of engineNames)
  t.test(`the report of many checks is what analytics says of each of them (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const { app, accountId } = plane
    const now = app.clock.now()
    const random = randomFrom(seed)
    t.comment(seedNote)
    const ids: string[] = []
    for (let n = 0; n < 15; n++) ids.push(await storeCheck(plane, { name: `check ${n}` }))
    const runs = ids.flatMap((id, n) => runsOf(id, n, now))
    const early = runs.filter(({ at }) => at < now - 6 * hour)
    const rest = runs.filter(({ at }) => at >= now - 6 * hour)
    plane.advance(-6 * hour)
    for (let at = 0; at < early.length; at += 1000) await takeIn(plane, early.slice(at, at + 1000))
    await countAll(app)
    plane.advance(6 * hour)
    await takeIn(plane, rest)
    await countAll(app)
    const kept = newStoredResult(plane, { checkId: ids[3] ?? '', at: now - 20 * minute, responseTime: 4321 })
    // No period has ids of that time.
    await app.db.transaction((trx) => insertResults(trx, [{ ...kept, id: uuidV7(1, randomUUID()) }]))

    const { signal } = new AbortController()
    const asker = { accountId, signal }
    /** Pages of all checks, beside what the whole report says of them. */
    const pagesSayTheSame = async (window: { from: number; to: number }, items: readonly Item[]) => {
      const question = { asker, now, window, buckets: null, tags: [], groupId: null, deactivated: null }
      const at = `pages, ${new Date(window.from).toISOString()}`
      const wanted = new Map(items.map((item) => [item.checkId, item]))
      const ratios = items.flatMap(({ aggregate }) => aggregate.successRatio ?? [])
      for (const order of ['name', 'uptime', 'p95'] as const) {
        const seen: Item[] = []
        for (let offset = 0; offset < ids.length; offset += 4) {
          const page = await reportPage(app, question, { order, offset, limit: 4 })
          const perfect = ratios.filter((ratio) => ratio === 100).length
          t.strictSame(page.sums, { total: ids.length, measured: ratios.length, perfect }, at)
          seen.push(...(page.items as Item[]))
        }
        t.strictSame(seen.map(({ checkId }) => checkId).toSorted(), ids.toSorted(), `${at}: each once`)
        const ordered = seen.map(({ name, aggregate: { successRatio, p95 } }) => ({
          name,
          uptime: successRatio ?? 101,
          p95: -(p95 ?? -1),
        }))
        t.strictSame(
          ordered,
          ordered.toSorted((a, b) =>
            a[order] < b[order] ? -1 : a[order] > b[order] ? 1 : a.name < b.name ? -1 : 1,
          ),
          `${at}: by ${order}`,
        )
        for (const item of seen) {
          const same = wanted.get(item.checkId)
          t.strictSame(item, same, `${at}: ${item.name}`)
        }
      }
    }
    for (const [from, to] of [
      [now - 3 * day, now],
      [now - 3 * day - 17 * minute, now],
      [now - 2 * day + 23 * minute, now - day + 11 * minute],
      [now - 30 * minute, now],
      ...Array.from({ length: 4 }, () => {
        const seconds = 1 + Math.floor(random() * 3 * 86_400)
        const from = now - seconds * 1000
        return [from, from + 1000 * (1 + Math.floor(random() * seconds))] as const
      }),
    ] as const) {
      const { body } = await plane.call('GET', `/v1/reporting?from=${from / 1000}&to=${to / 1000}`)
      await pagesSayTheSame({ from, to }, body as Item[])
      const alone = new Map(
        (await summarize(app, { asker, checkIds: ids, window: { from, to } })).map((one) => [
          one.checkId,
          one,
        ]),
      )
      t.strictSame(
        body.map(({ checkId }: { checkId: string }) => checkId),
        ids,
      )
      for (const { checkId, name, aggregate } of body as Item[]) {
        const one = alone.get(checkId)
        t.strictSame(
          aggregate,
          {
            from: one?.['from'],
            to: one?.['to'],
            successRatio: one?.availability,
            avg: one?.['responseTime_avg'],
            p95: one?.['responseTime_p95'],
            p99: one?.['responseTime_p99'],
            dependencyDowntime: [],
          },
          `${name}, ${new Date(from).toISOString()}`,
        )
      }
    }
  })
