// Runs on both engines in test:all: what agents say is written for all control planes.
import { takeLateReports } from '../../../../../control-plane/monitoring/runs/take-late-reports.ts'
import {
  noteLateAgent,
  writeLateAgents,
} from '../../../../../control-plane/monitoring/schedule/late-agents.ts'
import { scheduleTick } from '../../../../../control-plane/monitoring/schedule/schedule.ts'
import { settleTick } from '../../../../../control-plane/monitoring/watches/late-judging/settle-tick.ts'
import { eachDatabase } from '../../../../support/databases.ts'
import { addCheck, type EngineRoom, engineRoom, localLocation } from '../../../../support/engine-room.ts'
import { giveOrders, lateReport } from '../../../../support/late-reports.ts'

const locationId = localLocation.id

/** A check whose agents have orders, and an outage that nobody has noticed yet. */
const outage = async (room: EngineRoom): Promise<void> => {
  await addCheck(room, { id: 'c', periodMs: 10_000 })
  await giveOrders(room)
  await room.app.db.execute((k) => k.deleteFrom('jobs'))
  room.advance(100_000)
}

const isBack = ({ app }: EngineRoom): void =>
  noteLateAgent(app, { locationId, agentId: 'agent-1', reports: 0 })

const awaited = async ({ app }: EngineRoom): Promise<number> =>
  (await app.db.select((k) => k.selectFrom('awaited_runs').select('id'))).length

eachDatabase('who was heard just before something is awaited is not waited for', async (t, db) => {
  const room = engineRoom(db)
  await outage(room)
  isBack(room)
  await settleTick(room.app)
  room.advance(1000)
  await settleTick(room.app)
  await scheduleTick(room.app)
  t.ok((await awaited(room)) > 0)
  room.advance(1000)
  await settleTick(room.app)
  t.equal(await awaited(room), 0, 'at once')
})

eachDatabase('what nobody began because the run before still executed says so', async (t, db) => {
  const room = engineRoom(db)
  await outage(room)
  await scheduleTick(room.app)
  const [range] = await db.select((k) => k.selectFrom('awaited_runs').selectAll())
  const dueAt = (range?.first_due_at ?? 0) + 20_000
  // Two attempts, with a wait between them: 32 s together.
  const report = lateReport('c', dueAt, { retried: true })
  const last = lateReport('c', dueAt, { attempt: 2, startedAt: dueAt + 25_000, stoppedAt: dueAt + 32_000 })
  const taken = await takeLateReports(room.app, locationId, { reports: [report, last] })
  t.strictSame(
    taken.map(({ outcome }) => outcome),
    ['accepted', 'accepted'],
  )
  isBack(room)
  await settleTick(room.app)
  t.equal(await awaited(room), 0)
  const missed = (await db.select((k) => k.selectFrom('missed_runs').selectAll())).flatMap((row) =>
    Array.from({ length: row.count }, (_, n) => [
      (row.first_due_at + n * row.period_ms - dueAt) / 10_000,
      row.reason,
    ]),
  )
  const down = (n: number) => [n, 'CONTROL_PLANE_DOWN']
  t.strictSame(
    missed.toSorted(([a], [b]) => Number(a) - Number(b)),
    [down(-2), down(-1), [1, 'OVERLAP'], [2, 'OVERLAP'], [3, 'OVERLAP'], down(4), down(5), down(6)],
  )
  t.match(await room.app.metrics.metrics(), /missed_runs_total\{reason="OVERLAP"\} 3\n/)
})

eachDatabase('who was heard longer ago has not come back from this outage', async (t, db) => {
  const room = engineRoom(db)
  await outage(room)
  isBack(room)
  room.advance(11_000)
  await settleTick(room.app)
  await scheduleTick(room.app)
  await settleTick(room.app)
  t.ok((await awaited(room)) > 0)
  room.advance(45_001)
  await settleTick(room.app)
  t.equal(await awaited(room), 0)
})

eachDatabase('what an agent said is kept until it is written', async (t, db) => {
  const room = engineRoom(db)
  await outage(room)
  await scheduleTick(room.app)
  isBack(room)
  const { db: store } = room.app
  const { run } = store
  store.run = () => Promise.reject(new Error('the store is away'))
  await t.rejects(settleTick(room.app), { message: 'the store is away' })
  store.run = run
  t.ok((await awaited(room)) > 0)
  await settleTick(room.app)
  t.equal(await awaited(room), 0)
})

eachDatabase('agents of locations in which nothing is awaited are not written down', async (t, db) => {
  const room = engineRoom(db)
  await outage(room)
  await scheduleTick(room.app)
  noteLateAgent(room.app, { locationId, agentId: 'agent-2', reports: 3 })
  noteLateAgent(room.app, { locationId: 'elsewhere', agentId: 'agent-3', reports: 0 })
  await settleTick(room.app)
  t.strictSame(
    (await db.select((k) => k.selectFrom('late_agents').selectAll())).map(({ agent_id }) => agent_id),
    ['agent-2'],
  )
})

eachDatabase('what agents said is forgotten after an hour', async (t, db) => {
  const room = engineRoom(db)
  const rows = () => db.select((k) => k.selectFrom('late_agents').select('agent_id'))
  await writeLateAgents(room.app, [{ locationId, agentId: 'agent-1', reports: 0, at: room.app.clock.now() }])
  await settleTick(room.app)
  t.equal((await rows()).length, 1)
  room.advance(3_600_001)
  await settleTick(room.app)
  t.strictSame(await rows(), [])
})
