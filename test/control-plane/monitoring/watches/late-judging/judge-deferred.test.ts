// Runs on both engines: deferrals are locked, and results of many due times are read in their order.
import { claimJobs } from '../../../../../control-plane/monitoring/runs/claim-jobs.ts'
import { takeLateReports } from '../../../../../control-plane/monitoring/runs/take-late-reports.ts'
import { takeReports } from '../../../../../control-plane/monitoring/runs/take-reports.ts'
import { noteLateAgent } from '../../../../../control-plane/monitoring/schedule/late-agents.ts'
import { scheduleTick } from '../../../../../control-plane/monitoring/schedule/schedule.ts'
import { settleTick } from '../../../../../control-plane/monitoring/watches/late-judging/settle-tick.ts'
import type { Database } from '../../../../../control-plane/platform/store/database/db.ts'
import { eachDatabase } from '../../../../support/databases.ts'
import {
  addCheck,
  claimRequest,
  type EngineRoom,
  engineRoom,
  localLocation,
  passingReport,
} from '../../../../support/engine-room.ts'
import { giveOrders, lateReport } from '../../../../support/late-reports.ts'

const location = localLocation.id
const periodMs = 10_000
const start = 1_700_000_000_000

/** An outage of 100 seconds; its due times. */
const outage = async (room: EngineRoom, doc: object = {}): Promise<number[]> => {
  await addCheck(room, { id: 'c', periodMs, doc: { request: { url: 'http://127.0.0.1/' }, ...doc } })
  await giveOrders(room)
  await room.app.db.execute((k) => k.deleteFrom('jobs'))
  room.advance(100_000)
  await scheduleTick(room.app)
  return Array.from({ length: 10 }, (_, n) => start + (n + 1) * periodMs)
}

const bring = (room: EngineRoom, reports: unknown[], told?: Parameters<typeof takeLateReports>[2]['told']) =>
  takeLateReports(room.app, location, { reports, ...(told ? { told } : {}) })

const settle = async (room: EngineRoom): Promise<void> => {
  room.advance(4000)
  noteLateAgent(room.app, { locationId: location, agentId: 'agent-1', reports: 0 })
  await settleTick(room.app)
}

const alertsOf = async (db: Database): Promise<string[]> =>
  (
    await db.select((k) =>
      k.selectFrom('check_alerts').select(['alert_type', 'created_at']).orderBy('created_at'),
    )
  ).map(({ alert_type }) => alert_type)

const outagesOf = (db: Database) =>
  db.select((k) => k.selectFrom('past_outages').select(['level', 'from_at', 'to_at']))

/** Of an account without people a digest would only be taken away. */
const withoutDigests = (db: Database): Promise<unknown> =>
  db.execute((k) =>
    k.insertInto('deferred_judgements').values({
      check_id: 'never',
      account_id: 'account',
      since: Number.MAX_SAFE_INTEGER,
      first_due_at: 0,
      told: null,
      told_at: null,
    }),
  )

eachDatabase('what still fails is told once, about now, whatever order reports come in', async (t, db) => {
  const room = engineRoom(db)
  const dues = await outage(room)
  const reports = dues.slice(0, 9).map((due, n) => lateReport('c', due, { fails: n >= 4 }))
  await bring(room, reports.toReversed())
  t.strictSame(await alertsOf(db), [], 'nobody is told before all is known')
  await settle(room)
  t.strictSame(await alertsOf(db), ['ALERT_FAILURE_REMAIN'])
  const [state] = await db.select((k) => k.selectFrom('alert_states').selectAll())
  t.match(JSON.parse(state?.doc ?? ''), {
    state: { told: 'failing', streak: 5, failingSince: (dues[4] as number) + 7 },
  })
  await settle(room)
  t.equal((await alertsOf(db)).length, 1, 'once')
})

eachDatabase('what was over is history: nobody is told, and the digest knows', async (t, db) => {
  const room = engineRoom(db)
  await withoutDigests(db)
  const dues = await outage(room)
  await bring(
    room,
    dues.slice(0, 9).map((due, n) => lateReport('c', due, { fails: n >= 2 && n < 5 })),
  )
  await settle(room)
  t.strictSame(await alertsOf(db), [])
  t.strictSame(await outagesOf(db), [
    { level: 'failing', from_at: (dues[2] as number) + 7, to_at: (dues[5] as number) + 7 },
  ])
  t.equal((await db.select((k) => k.selectFrom('alert_states').selectAll())).length, 0)
})

eachDatabase(
  'a live result waits for those of the past, and none of them is told by itself',
  async (t, db) => {
    const room = engineRoom(db)
    const dues = await outage(room)
    const [job] = await claimJobs(room.app, { location, agent: claimRequest() })
    if (job === undefined) throw new Error('there is no job')
    const failing = passingReport(job, room.app.clock.now())
    if (failing.outcome.kind === 'observed')
      failing.outcome.observation.failure = { code: 'ECONNREFUSED', message: 'refused', network: true }
    t.match(await takeReports(room.app, location, [failing]), [{ outcome: 'accepted' }])
    t.strictSame(await alertsOf(db), [])
    await bring(
      room,
      dues.slice(0, 9).map((due, n) => lateReport('c', due, { fails: n > 7 })),
    )
    await settle(room)
    t.strictSame(await alertsOf(db), ['ALERT_FAILURE_REMAIN'])
  },
)

eachDatabase('what an agent told meanwhile is not told again; the recovery is', async (t, db) => {
  const room = engineRoom(db)
  const dues = await outage(room)
  const told = [{ checkId: 'c', state: 'failing' as const, at: dues[3] as number }]
  await bring(
    room,
    dues.slice(0, 9).map((due) => lateReport('c', due, { fails: true })),
    told,
  )
  await settle(room)
  t.strictSame(await alertsOf(db), [])
  const [job] = await claimJobs(room.app, { location, agent: claimRequest() })
  if (job === undefined) throw new Error('there is no job')
  await takeReports(room.app, location, [passingReport(job, room.app.clock.now())])
  t.strictSame(await alertsOf(db), ['ALERT_RECOVERY'])
})

eachDatabase('of a check elsewhere nobody has told anything', async (t, db) => {
  const room = engineRoom(db)
  await outage(room)
  await takeLateReports(room.app, 'elsewhere', {
    reports: [],
    told: [{ checkId: 'c', state: 'failing', at: start }],
  })
  const [deferral] = await db.select((k) => k.selectFrom('deferred_judgements').select('told'))
  t.equal(deferral?.told, null)
})

eachDatabase('agents that still have reports are waited for', async (t, db) => {
  const room = engineRoom(db)
  await outage(room)
  room.advance(4000)
  noteLateAgent(room.app, { locationId: location, agentId: 'agent-1', reports: 3 })
  await settleTick(room.app)
  t.equal((await db.select((k) => k.selectFrom('missed_runs').selectAll())).length, 0)
  await settle(room)
  t.equal((await db.select((k) => k.selectFrom('missed_runs').select('count')))[0]?.count, 9)
})
