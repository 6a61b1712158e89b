// Runs on both engines in test:all: periods are partitions on one of them.
/** Lists over periods and what is kept are what a plain array says, packed or not, on both engines. */
import t, { type Test } from 'tap'
import { packResultsTick } from '../../../../../control-plane/monitoring/results/pack-results.ts'
import { insertResults } from '../../../../../control-plane/monitoring/results/stored/insert-results.ts'
import { latestResults } from '../../../../../control-plane/monitoring/results/stored/latest-results.ts'
import { latestRuns } from '../../../../../control-plane/monitoring/results/stored/latest-runs.ts'
import {
  firstResults,
  pageOfResults,
  type ResultList,
  someDocumented,
} from '../../../../../control-plane/monitoring/results/stored/list-results.ts'
import { makePeriods } from '../../../../../control-plane/monitoring/results/stored/make-periods.ts'
import { periodTableNames } from '../../../../../control-plane/monitoring/results/stored/period-table-names.ts'
import type { ResultWithDoc } from '../../../../../control-plane/monitoring/results/stored/result.ts'
import { retentionTick } from '../../../../../control-plane/platform/retention/retention-tick.ts'
import { retentionKinds } from '../../../../../control-plane/retention.ts'
import { allRows } from '../../../../support/all-results.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'
import { randomFrom } from '../../../../support/random.ts'
import { dayMs, resultAt } from '../../../../support/retention-rows.ts'
import { countAll } from '../../../../support/rollups.ts'
import { testsBeginAt } from '../../../../support/tests-begin.ts'

const stays = new AbortController().signal
const reading = { piece: <T>(work: (size: number) => Promise<T>): Promise<T> => work(7) }

type Made = { plane: TestApp; results: ResultWithDoc[]; checkIds: string[]; below(n: number): number }

/** Three days of runs, some of an id of long ago or of another day than the run's. */
const fill = async (t: Test, engine: (typeof engineNames)[number], seed: number): Promise<Made> => {
  const plane = await testApp(t, { engine })
  const random = randomFrom(seed)
  const below = (n: number): number => Math.floor(random() * n)
  const checkIds = [plane.app.newId(), plane.app.newId()]
  const made = (n: number): ResultWithDoc => {
    const at = testsBeginAt + below(3 * dayMs)
    const otherDay = below(6) === 0 ? testsBeginAt + below(3 * dayMs) : at
    const idAt = below(12) === 0 ? at - 400 * dayMs : otherDay
    const { id } = resultAt(idAt, '')
    return resultAt(at, checkIds[below(2)] ?? '', {
      id,
      started_at: at - (at % 60_000),
      location: ['local', 'eu-west-1'][below(2)] ?? '',
      result_type: below(4) === 0 ? 'ATTEMPT' : 'FINAL',
      has_failures: below(4) === 0,
      has_errors: below(9) === 0,
      is_cancelled: below(9) === 0,
      doc: JSON.stringify({ name: `site ${n}`, error: null, metrics: { dns: n } }),
    })
  }
  const results = Array.from({ length: 260 }, (_, n) => made(n))
  for (let from = 0; from < results.length; from += 40)
    await plane.app.db.transaction((trx) => insertResults(trx, results.slice(from, from + 40)))
  return { plane, results, checkIds, below }
}

const asModel = (results: readonly ResultWithDoc[], list: ResultList): ResultWithDoc[] => {
  const { checkId, direction, from = 0, to = Number.POSITIVE_INFINITY, filter } = list
  const found = results
    .filter((one) => one.check_id === checkId && one.started_at >= from && one.started_at < to)
    .filter((one) => filter.location === undefined || one.location === filter.location)
    .filter((one) => filter.resultType === undefined || one.result_type === filter.resultType)
    .filter((one) => filter.hasFailures === undefined || one.has_failures === filter.hasFailures)
    .filter((one) => filter.failing === undefined || one.has_failures || one.has_errors)
    .sort((a, b) => a.started_at - b.started_at || (a.id < b.id ? -1 : 1))
  return direction === 'newest-first' ? found.reverse() : found
}

const randomList = ({ below, checkIds }: Made): ResultList => ({
  checkId: checkIds[below(2)] ?? '',
  direction: below(2) === 0 ? 'newest-first' : 'oldest-first',
  from: below(2) === 0 ? undefined : testsBeginAt + below(2 * dayMs),
  to: below(2) === 0 ? undefined : testsBeginAt + dayMs + below(2 * dayMs),
  filter: {
    location: below(3) === 0 ? ['local', 'nowhere'][below(2)] : undefined,
    resultType: below(2) === 0 ? 'FINAL' : undefined,
    hasFailures: below(3) === 0 ? below(2) === 0 : undefined,
    failing: below(4) === 0 ? true : undefined,
  },
})

const ids = (results: readonly ResultWithDoc[]): string[] => results.map(({ id }) => id)

const sameLists = async (t: Test, made: Made, when: string): Promise<void> => {
  const source = { db: made.plane.app.db, reading }
  for (let n = 0; n < 25; n++) {
    const list = randomList(made)
    const model = asModel(made.results, list)
    const paged: ResultWithDoc[] = []
    for (let last: ResultWithDoc | undefined, size = 1; size > 0; ) {
      const after = last === undefined ? null : { at: last.started_at, id: last.id }
      const page = await firstResults(source, list, { after, limit: 30 })
      paged.push(...page)
      last = page.at(-1)
      size = page.length
    }
    t.strictSame(paged, model, `${when}: ${JSON.stringify(list)}`)
    const { rows, total } = await pageOfResults(source, list, { limit: 10, offset: 15 })
    t.strictSame([rows, total], [model.slice(15, 25), model.length], `${when}: a page of it`)
    const limit = 1 + made.below(20)
    const first = await someDocumented(made.plane.app.db, list, limit)
    t.strictSame(first, model.slice(0, limit), `${when}: the first ${limit} of it`)
  }
  const finals = { direction: 'newest-first', filter: { resultType: 'FINAL' } } as const
  const latest = await latestResults(made.plane.app.db, [...made.checkIds, made.plane.app.newId()])
  t.strictSame(
    new Set(latest),
    new Set(made.checkIds.flatMap((checkId) => asModel(made.results, { checkId, ...finals }).slice(0, 1))),
    `${when}: the latest of each check`,
  )
  for (const perCheck of [1, 5, 60]) {
    const span = { from: testsBeginAt + made.below(dayMs), to: testsBeginAt + dayMs + made.below(3 * dayMs) }
    const runs = await latestRuns(made.plane.app.db, { ids: made.checkIds, perCheck, ...span })
    for (const checkId of made.checkIds)
      t.strictSame(
        runs.get(checkId)?.map(({ startedAt }) => startedAt),
        asModel(made.results, { checkId, ...finals, ...span })
          .filter(({ is_cancelled }) => !is_cancelled)
          .slice(0, perCheck)
          .map(({ started_at }) => started_at)
          .toReversed(),
        `${when}: the latest ${perCheck} runs`,
      )
  }
}

for (const engine of engineNames) {
  t.test(`lists are the same before and after packing (${engine})`, async (t) => {
    const made = await fill(t, engine, 5)
    await sameLists(t, made, 'as they came')
    made.plane.advance(5 * dayMs)
    await packResultsTick(made.plane.app, stays)
    await sameLists(t, made, 'packed')
  })

  t.test(`a period ends whole, and the newest of each check stays (${engine})`, async (t) => {
    const made = await fill(t, engine, 6)
    const { plane, results, checkIds } = made
    plane.advance(5 * dayMs)
    await packResultsTick(plane.app, stays)
    plane.advance(60 * dayMs)
    await makePeriods(plane.app.db, { now: plane.app.clock.now() })
    await countAll(plane.app)
    await retentionTick(retentionKinds)(plane.app, stays)
    const finals = { direction: 'newest-first', filter: { resultType: 'FINAL' } } as const
    const newest = checkIds.flatMap((checkId) => asModel(results, { checkId, ...finals }).slice(0, 1))
    const left = await allRows(plane.app.db)
    t.strictSame(left.map(({ id }) => id).sort(), newest.map(({ id }) => id).sort())
    const source = { db: plane.app.db, reading }
    for (const checkId of checkIds) {
      const [shown] = await firstResults(source, { checkId, ...finals }, { limit: 5 })
      t.match(JSON.parse(shown?.doc ?? ''), { metrics: { dns: Number } }, 'with its document')
    }
    const names = await periodTableNames(plane.app.db)
    t.notOk(names.includes('result_rows_1') || names.includes('result_details_1'), 'its tables are dropped')
  })

  t.test(`a check with few results is asked for in a few periods at a time (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const { db } = plane.app
    const [checkId, silent] = [plane.app.newId(), plane.app.newId()]
    // What is known of it is kept beside the periods, and was before them.
    const results: ResultWithDoc[] = [resultAt(testsBeginAt - dayMs, silent)]
    for (let day = 0; day < 40; day++) {
      const at = testsBeginAt + day * dayMs
      await makePeriods(db, { now: at })
      if (day % 3 !== 0) results.push(resultAt(at + 1000, checkId))
      if (day % 3 === 1) results.push(resultAt(at + 1000, checkId), resultAt(at + 5000, checkId))
    }
    await db.transaction((trx) => insertResults(trx, results))
    let pieces = 0
    const counting: typeof reading = {
      piece: (work) => {
        pieces += 1
        return work(500)
      },
    }
    const source = { db, reading: counting }
    const each = ['newest-first', 'oldest-first'] as const
    for (const direction of each) {
      const list = { checkId, direction, filter: {} }
      const model = asModel(results, list)
      pieces = 0
      t.strictSame(ids(await firstResults(source, list, { limit: 1 })), ids(model.slice(0, 1)))
      t.equal(pieces, 1, 'the first one is found in the first periods')
      t.strictSame(ids(await firstResults(source, list, { limit: 1000 })), ids(model), direction)
      const after = model[20] as ResultWithDoc
      t.strictSame(
        ids(await firstResults(source, list, { after: { at: after.started_at, id: after.id }, limit: 9 })),
        ids(model.slice(21, 30)),
      )
      const { rows, total } = await pageOfResults(source, list, { limit: 10, offset: 15 })
      t.strictSame([ids(rows), total], [ids(model.slice(15, 25)), model.length], 'a page of it')
      pieces = 0
      t.strictSame(
        await firstResults(source, { ...list, checkId: silent, from: testsBeginAt }, { limit: 10 }),
        [],
      )
      t.equal(pieces, engine === 'sqlite' ? 4 : 1, 'twenty-seven periods with results, by eights')
    }
  })
}
