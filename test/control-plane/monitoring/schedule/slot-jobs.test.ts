// Runs on both engines: whether a result is stored is asked for otherwise on each engine, and so is what a conflict does.
import { noteCheckChange } from '../../../../control-plane/access/changes/note-change.ts'
import { claimJobs } from '../../../../control-plane/monitoring/runs/claim-jobs.ts'
import { intakeReports } from '../../../../control-plane/monitoring/runs/intake.ts'
import { scheduleTick } from '../../../../control-plane/monitoring/schedule/schedule.ts'
import type { Job } from '../../../../protocol/job.ts'
import type { Report } from '../../../../protocol/result.ts'
import { slotIdOf } from '../../../../protocol/slot-id.ts'
import { eachDatabase } from '../../../support/databases.ts'
import {
  addCheck,
  claimRequest,
  engineRoom,
  localLocation,
  passingReport,
} from '../../../support/engine-room.ts'

const location = localLocation.id
const agent = claimRequest()
const start = 1_700_000_000_000

const failing = (job: Job, at: number): Report => {
  const passing = passingReport(job, at)
  const failure = { code: 'REFUSED', message: 'connection refused', network: true }
  const { observation } = passing.outcome as Extract<Report['outcome'], { kind: 'observed' }>
  return { ...passing, outcome: { kind: 'observed', observation: { ...observation, failure } } }
}

eachDatabase('jobs at due times have the ids of their slots, and so have their retries', async (t, db) => {
  const room = engineRoom(db, start)
  const retryStrategy = { type: 'FIXED', baseBackoffSeconds: 0, maxRetries: 1 }
  await addCheck(room, { id: 'c', doc: { retryStrategy } })
  const [first] = await claimJobs(room.app, { location, agent })
  await intakeReports(room.app, location, [passingReport(first!)])
  const slot = { checkId: 'c', location, dueAt: start + 10_000 }
  room.setTime(slot.dueAt)
  await scheduleTick(room.app)
  const [job] = await claimJobs(room.app, { location, agent })
  t.match(job, { id: slotIdOf({ ...slot, attempt: 1 }), sequenceId: job?.id, dueAt: slot.dueAt })
  await intakeReports(room.app, location, [failing(job!, slot.dueAt)])
  const [retry] = await claimJobs(room.app, { location, agent })
  t.match(retry, { id: slotIdOf({ ...slot, attempt: 2 }), sequenceId: job?.id, attempt: 2 })
})

eachDatabase('a due time whose run has a result is not handed out again', async (t, db) => {
  const room = engineRoom(db, start)
  for (const id of ['run', 'open']) await addCheck(room, { id })
  const firsts = await claimJobs(room.app, { location, agent })
  await intakeReports(
    room.app,
    location,
    firsts.map((job) => passingReport(job)),
  )
  room.setTime(start + 10_000)
  await scheduleTick(room.app)
  const jobs = await claimJobs(room.app, { location, agent })
  const [known] = jobs.filter(({ checkId }) => checkId === 'run')
  await intakeReports(room.app, location, [passingReport(known!)])
  const plannedAgain = { next_at: start + 10_000 }
  await db.select((k) => k.deleteFrom('jobs').returning('id'))
  await db.select((k) => k.updateTable('schedules').set(plannedAgain).returning('check_id'))
  await scheduleTick(room.app)
  const again = await claimJobs(room.app, { location, agent })
  t.strictSame(
    again.map(({ checkId, dueAt }) => `${checkId} ${dueAt - start}`).sort(),
    ['open 10000', 'run 20000'],
    'the next one is',
  )
})

eachDatabase(
  'a check knows how often it was written, and each change is later than the last',
  async (t, db) => {
    const change = { accountId: 'account', checkId: 'c', now: start }
    const note = () => db.transaction((trx) => noteCheckChange(trx, change))
    t.strictSame([await note(), await note(), await note()], [0, 1, 2])
    t.equal(await db.transaction((trx) => noteCheckChange(trx, { ...change, now: start + 1000 })), 3)
    t.match(await db.select((k) => k.selectFrom('configuration_changes').selectAll()), [
      { account_id: 'account', check_id: 'c', changed_at: start + 1000, writes: 3 },
    ])
  },
)
