// Runs on both engines: ranges of due times are locked, split and counted.
import { claimJobs } from '../../../../control-plane/monitoring/runs/claim-jobs.ts'
import { takeLateReports } from '../../../../control-plane/monitoring/runs/take-late-reports.ts'
import { scheduleTick } from '../../../../control-plane/monitoring/schedule/schedule.ts'
import { settleTick } from '../../../../control-plane/monitoring/watches/late-judging/settle-tick.ts'
import { allResults } from '../../../support/all-results.ts'
import { eachDatabase } from '../../../support/databases.ts'
import {
  accountedFor,
  addCheck,
  claimRequest,
  type EngineRoom,
  engineRoom,
  localLocation,
} from '../../../support/engine-room.ts'
import { giveOrders, lateReport } from '../../../support/late-reports.ts'

const location = localLocation.id
const start = 1_700_000_000_000
const periodMs = 10_000

/** A check whose first run is over, and an outage of `seconds` after it. */
const outage = async (room: EngineRoom, seconds: number): Promise<number[]> => {
  await addCheck(room, { id: 'c', periodMs })
  await giveOrders(room)
  await room.app.db.execute((k) => k.deleteFrom('jobs'))
  const from = start + periodMs
  room.advance(seconds * 1000)
  await scheduleTick(room.app)
  const dues: number[] = []
  for (let due = from; due <= room.app.clock.now(); due += periodMs) dues.push(due)
  return dues
}

const take = async ({ app }: EngineRoom, reports: unknown[]): Promise<string[]> =>
  (await takeLateReports(app, location, { reports })).map(({ outcome }) => outcome)

const awaited = async ({ app }: EngineRoom): Promise<number> =>
  (await app.db.select((k) => k.selectFrom('awaited_runs').select('count'))).reduce(
    (sum, { count }) => sum + count,
    0,
  )

eachDatabase(
  'each due time of an outage is one result or one missed run, whoever reports twice',
  async (t, db) => {
    const room = engineRoom(db)
    const dues = await outage(room, 100)
    t.equal(await awaited(room), dues.length - 1, 'all but the last, which is a job')
    t.strictSame(await accountedFor(db), [], 'nothing is missed yet')
    const [first, , third, fourth] = dues as [number, number, number, number]
    const reports = [
      lateReport('c', fourth),
      lateReport('c', first),
      lateReport('c', third),
      lateReport('c', third),
    ]
    t.strictSame(await take(room, reports), ['accepted', 'accepted', 'accepted', 'duplicate'])
    t.strictSame(await take(room, reports), ['duplicate', 'duplicate', 'duplicate', 'duplicate'])
    t.equal(await awaited(room), dues.length - 4)
    room.advance(45_001)
    await settleTick(room.app)
    t.equal(await awaited(room), 0)
    const counted = (await accountedFor(db)).filter((line) => !line.includes('undefined'))
    t.equal(counted.length, dues.length - 1)
    t.equal(counted.filter((line) => line.endsWith('RESULT')).length, 3)
    const [, second] = dues as [number, number]
    t.strictSame(
      await take(room, [lateReport('c', second)]),
      ['accepted'],
      'a missed run that was run after all',
    )
    const [replaced] = (await allResults(db)).filter(({ due_at }) => due_at === second)
    t.ok(replaced)
    t.equal((await accountedFor(db)).filter((line) => line.endsWith('RESULT')).length, 4)
    t.equal((await accountedFor(db)).length, dues.length - 1)
  },
)

eachDatabase('a job that waits is not run a second time', async (t, db) => {
  const room = engineRoom(db)
  const dues = await outage(room, 100)
  const last = dues.at(-1) as number
  t.strictSame(await take(room, [lateReport('c', last)]), ['accepted'])
  const jobs = await claimJobs(room.app, { location, agent: claimRequest() })
  t.notOk(jobs.some(({ dueAt }) => dueAt === last))
})

eachDatabase('what is no run of this location that can have been is refused', async (t, db) => {
  const room = engineRoom(db)
  const [first] = (await outage(room, 100)) as [number]
  const good = lateReport('c', first)
  const now = room.app.clock.now()
  const bad = [
    { ...good, jobId: lateReport('c', first + periodMs).jobId },
    { ...good, stoppedAt: now + 60_000 },
    { ...good, startedAt: first - 60_000 },
    { ...good, stoppedAt: good.startedAt - 1 },
    lateReport('c', first - 60 * 86_400_000),
    { ...good, dueAt: 'yesterday' },
    null,
  ]
  t.strictSame(
    await take(room, bad),
    bad.map(() => 'refused'),
  )
  t.strictSame(await take(room, [lateReport('gone', first)]), ['stale'], 'of a check that is gone')
  t.strictSame(await take(room, [lateReport('c', first + 1)]), ['stale'], 'at no due time')
  t.strictSame(
    await take(room, [
      lateReport('c', now + periodMs - (now % periodMs), {
        startedAt: now,
        stoppedAt: now,
        firstStartedAt: now,
      }),
    ]),
    ['refused'],
    'of the future',
  )
  t.strictSame(await take(room, [good]), ['accepted'])
})

eachDatabase('attempts of a run come in any order', async (t, db) => {
  const room = engineRoom(db)
  const [first, second] = (await outage(room, 100)) as [number, number]
  const failed = lateReport('c', first, { fails: true, retried: true })
  const passed = lateReport('c', first, { attempt: 2 })
  t.strictSame(await take(room, [passed]), ['accepted'])
  t.strictSame(await take(room, [failed]), ['accepted'])
  const other = [
    lateReport('c', second, { fails: true, retried: true }),
    lateReport('c', second, { attempt: 2 }),
  ]
  t.strictSame(await take(room, other), ['accepted', 'accepted'])
  const results = (await allResults(db)).map(({ due_at, result_type, attempts }) => [
    due_at,
    result_type,
    attempts,
  ])
  t.strictSame(results.toSorted(), [
    [first, 'ATTEMPT', 0],
    [first, 'FINAL', 1],
    [second, 'ATTEMPT', 0],
    [second, 'FINAL', 1],
  ])
})
