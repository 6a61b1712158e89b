// Runs in test:all only: it fills and reads whole stores.
// Runs on both engines in test:all: rows are counted and added up.
/** A report reads many checks with each statement: each says what analytics says of it alone. */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { summarize } from '../../../../control-plane/insight/analytics/summaries.ts'
import { insertResults } from '../../../../control-plane/monitoring/runs/result-queries.ts'
import { uuidV7 } from '../../../../control-plane/platform/words/uuid.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { countAll, takeIn } from '../../../support/rollups.ts'
import { newStoredResult, type StoredResult, storeCheck } from '../../../support/stored-results.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

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
    for (const [from, to] of [
      [now - 3 * day, now],
      [now - 3 * day - 17 * minute, now],
      [now - 2 * day + 23 * minute, now - day + 11 * minute],
      [now - 30 * minute, now],
    ] as const) {
      const { body } = await plane.call('GET', `/v1/reporting?from=${from / 1000}&to=${to / 1000}`)
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
      for (const { checkId, name, aggregate } of body as {
        checkId: string
        name: string
        aggregate: Aggregate
      }[]) {
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
