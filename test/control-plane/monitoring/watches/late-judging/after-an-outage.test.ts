// Runs on both engines in test:all: what is judged late is told by rows of the outbox and of mails.
/** What people read after an outage, and who may no longer bring what was run meanwhile. */
import t from 'tap'
import { claimJobs } from '../../../../../control-plane/monitoring/runs/claim-jobs.ts'
import { takeLateReports } from '../../../../../control-plane/monitoring/runs/take-late-reports.ts'
import { takeReports } from '../../../../../control-plane/monitoring/runs/take-reports.ts'
import { noteLateAgent } from '../../../../../control-plane/monitoring/schedule/late-agents.ts'
import { scheduleTick } from '../../../../../control-plane/monitoring/schedule/schedule.ts'
import { settleTick } from '../../../../../control-plane/monitoring/watches/late-judging/settle-tick.ts'
import { mailTick } from '../../../../../control-plane/platform/services/mail/mail-tick.ts'
import { agentPaths } from '../../../../../protocol/agent-api.ts'
import { slotIdOf } from '../../../../../protocol/slot-id.ts'
import { orderPaths } from '../../../../../protocol/standing-order.ts'
import { addChannel, dispatch, loopbackEnv } from '../../../../support/alerting.ts'
import { allResults } from '../../../../support/all-results.ts'
import { urlMonitor } from '../../../../support/api.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { eachDatabase, engineNames } from '../../../../support/databases.ts'
import {
  addCheck,
  claimRequest,
  engineRoom,
  localLocation,
  passingReport,
} from '../../../../support/engine-room.ts'
import { giveOrders, lateReport } from '../../../../support/late-reports.ts'
import { withMailbox } from '../../../../support/mailbox.ts'
import { addPerson } from '../../../../support/members.ts'

const minuteMs = 60_000

const everyMinute = async (plane: TestApp, name: string): Promise<string> => {
  const body = { ...urlMonitor(name, 'http://127.0.0.1/'), frequency: 1, alertChannelSubscriptions: [] }
  const made = await plane.call('POST', '/v1/checks/url', { body })
  if (made.status !== 201) throw new Error(made.text)
  return made.body.id
}

/** Its agent has orders; then nobody is there for ten minutes. The due times that are awaited, by check. */
const outage = async (plane: TestApp): Promise<Map<string, number[]>> => {
  const { app, agentKey: key } = plane
  await plane.call('POST', agentPaths.claim, {
    key,
    body: { ...claimRequest(), orders: { revision: '1.0.0.0' } },
  })
  await app.db.execute((k) => k.deleteFrom('jobs'))
  plane.advance(10 * minuteMs)
  await scheduleTick(app)
  const rows = await app.db.select((k) => k.selectFrom('awaited_runs').selectAll())
  return new Map(
    rows.map((row) => [
      row.check_id,
      Array.from({ length: row.count }, (_, n) => row.first_due_at + n * row.period_ms),
    ]),
  )
}

const reportOf = (
  { locationId: location }: TestApp,
  checkId: string,
  { dueAt, fails }: { dueAt: number; fails: boolean },
) => ({
  ...lateReport(checkId, dueAt, { fails }),
  jobId: slotIdOf({ checkId, location, dueAt, attempt: 1 }),
})

for (const engine of engineNames) {
  t.test(`what is over is in one digest, what is true now is told late (${engine})`, async (t) => {
    const plane = await testApp(t, { engine, env: loopbackEnv })
    const { app, agentKey: key } = plane
    await addPerson(plane, { email: 'owner@example.com', role: 'OWNER' })
    const box = await withMailbox(t, plane)
    const channel = await addChannel(plane, 'EMAIL', { address: 'ops@example.com' })
    const [over, open] = [await everyMinute(plane, 'over'), await everyMinute(plane, 'open')]
    await plane.call('POST', `/v1/alert-channels/${channel}/subscriptions`, { body: { all: true } })
    const dues = await outage(plane)
    const reports = [over, open].flatMap((checkId) =>
      (dues.get(checkId) ?? []).map((dueAt, n) =>
        reportOf(plane, checkId, { dueAt, fails: checkId === over ? n === 2 || n === 3 : n >= 4 }),
      ),
    )
    const brought = await plane.call('POST', orderPaths.lateReport, {
      key,
      body: { agentId: 'agent-1', reports },
    })
    t.equal(brought.status, 200, brought.text)
    t.ok(reports.length > 10)
    t.equal(box.mails.length, 0)
    plane.advance(4000)
    noteLateAgent(app, { locationId: plane.locationId, agentId: 'agent-1', reports: 0 })
    await settleTick(app)
    await settleTick(app)
    await mailTick(app)
    await dispatch(app)
    const utc = (at: number) => new Date(at).toISOString().slice(11, 16)
    const mailTo = (address: string) => box.mails.filter(({ to }) => to?.[0]?.address === address)
    t.equal(mailTo('ops@example.com').length, 1, 'of each check one thing at most, about now')
    const [alert] = mailTo('ops@example.com')
    t.equal(alert?.subject, '[Failing] Check "open" has failed')
    t.match(alert?.text, /^Told late: +The control plane was away; agents went on by themselves\.$/m)
    t.match(alert?.text, new RegExp(`^Since: +.*${utc(dues.get(open)?.[4] ?? 0)} UTC`, 'm'))
    t.equal(mailTo('owner@example.com').length, 1)
    const [digest] = mailTo('owner@example.com')
    t.equal(digest?.subject, 'One check failed while the control plane was away')
    const [, , from = 0, , to = 0] = dues.get(over) ?? []
    t.match(digest?.text, /What follows began and ended before anybody could be told/)
    t.match(digest?.text, new RegExp(`over\\s+Failing from .*${utc(from)} UTC to .*${utc(to)} UTC\\.`))
    t.notMatch(digest?.text, 'open')
    await settleTick(app)
    await mailTick(app)
    await dispatch(app)
    t.equal(box.mails.length, 2, 'once')
  })

  t.test(
    `a key that is revoked while its agent drains: what it brings is refused and becomes missed (${engine})`,
    async (t) => {
      const plane = await testApp(t, { engine, env: loopbackEnv })
      const { app, agentKey: key, locationId } = plane
      const id = await everyMinute(plane, 'shop')
      const [first = 0, second = 0, ...others] = (await outage(plane)).get(id) ?? []
      const bring = (dueAt: number) =>
        plane.call('POST', orderPaths.lateReport, {
          key,
          body: { agentId: 'agent-1', remaining: 5, reports: [reportOf(plane, id, { dueAt, fails: false })] },
        })
      t.match((await bring(first)).body, { outcomes: [{ outcome: 'accepted' }] })
      const { keys } = (await plane.call('GET', `/v1/private-locations/${locationId}`)).body
      t.equal(
        (await plane.call('DELETE', `/v1/private-locations/${locationId}/keys/${keys[0].id}`)).status,
        204,
      )
      const holders = () => app.db.select((k) => k.selectFrom('order_holders').selectAll())
      t.strictSame(await holders(), [], 'nobody can bring anything for this location any more')
      plane.advance(6000)
      t.equal((await bring(second)).status, 401)
      await settleTick(app)
      plane.advance(90_000)
      await settleTick(app)
      const missed = await app.db.select((k) => k.selectFrom('missed_runs').select(['reason', 'count']))
      t.equal(
        missed.reduce((sum, { count }) => sum + count, 0),
        1 + others.length,
        'what it had brought before is a result, the others are stated',
      )
      t.ok(missed.every(({ reason }) => reason === 'CONTROL_PLANE_DOWN'))
      t.strictSame(await app.db.select((k) => k.selectFrom('awaited_runs').select('id')), [])
    },
  )
}

eachDatabase(
  'a late report of a run that another agent holds ends it: the result of the other is a duplicate',
  async (t, db) => {
    const room = engineRoom(db)
    const location = localLocation.id
    await addCheck(room, { id: 'c', periodMs: 10_000 })
    await giveOrders(room)
    await room.app.db.execute((k) => k.deleteFrom('jobs'))
    room.advance(10_000)
    await scheduleTick(room.app)
    const [job] = await claimJobs(room.app, { location, agent: { ...claimRequest(), agentId: 'agent-2' } })
    if (job === undefined) throw new Error('nothing to claim')
    room.advance(10_000)
    const late = { reports: [lateReport('c', job.dueAt, { fails: true })] }
    t.match(await takeLateReports(room.app, location, late), [{ outcome: 'accepted' }])
    const own = [passingReport(job, job.dueAt + 1000)]
    t.match(await takeReports(room.app, location, own), [{ outcome: 'duplicate' }])
    t.match(await takeLateReports(room.app, location, late), [{ outcome: 'duplicate' }])
    const results = (await allResults(db)).filter(({ due_at }) => due_at === job.dueAt)
    t.equal(results.length, 1)
    t.match(results, [{ result_type: 'FINAL', has_failures: true }])
  },
)
