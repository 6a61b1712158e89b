// Runs on both engines: rows are locked.
import t from 'tap'
import { claimJobs } from '../../../../control-plane/monitoring/runs/claim-jobs.ts'
import { intakeReports } from '../../../../control-plane/monitoring/runs/intake.ts'
import { leaseMs } from '../../../../control-plane/monitoring/runs/leases.ts'
import { sweepTick } from '../../../../control-plane/monitoring/runs/sweep.ts'
import { takeReports } from '../../../../control-plane/monitoring/runs/take-reports.ts'
import type { Database } from '../../../../control-plane/platform/store/database/db.ts'
import type { Job } from '../../../../protocol/job.ts'
import { allResults } from '../../../support/all-results.ts'
import { eachDatabase, freshDatabase } from '../../../support/databases.ts'
import {
  accountedFor,
  addCheck,
  claimRequest,
  type EngineRoom,
  engineRoom,
  localLocation,
  passingReport,
} from '../../../support/engine-room.ts'

const location = localLocation.id
const agent = claimRequest()
const start = 1_700_000_000_000

const claim = async ({ app }: EngineRoom, agentId = 'agent-1'): Promise<Job> => {
  const [job] = await claimJobs(app, { location, agent: { ...agent, agentId } })
  if (job === undefined) throw new Error('there is no job')
  return job
}

/** Nobody renews a lease, and nobody comes for the jobs afterwards. */
const cutOff = async ({ app, advance }: EngineRoom, turns = 2): Promise<void> => {
  for (let turn = 0; turn < turns; turn++) {
    advance(leaseMs + 1)
    await sweepTick(app)
  }
}

const outcomesOf = async (
  { app }: EngineRoom,
  jobs: readonly Pick<Job, 'id' | 'fence'>[],
  from = location,
): Promise<string[]> => {
  const reports = jobs.map((job) => passingReport(job, start))
  return (await intakeReports(app, from, reports)).map(({ outcome }) => outcome)
}

const stateOf = async (db: Database): Promise<string | undefined> => {
  const [status] = await db.select((k) => k.selectFrom('check_statuses').select('state'))
  return status?.state
}

eachDatabase(
  'what an agent measured while it was cut off takes the place of the missed run, once',
  async (t, db) => {
    const room = engineRoom(db)
    await addCheck(room, { id: 'c' })
    const job = await claim(room)
    await cutOff(room)
    t.strictSame(await accountedFor(db), [`c local ${start} NO_AGENT`])
    t.equal(await stateOf(db), 'unknown')
    t.strictSame(await outcomesOf(room, [job], 'elsewhere'), ['stale'], 'only where it ran')
    t.strictSame(await outcomesOf(room, [{ ...job, fence: 2 }]), ['stale'], 'only who had it')
    t.strictSame(await outcomesOf(room, [job, job]), ['accepted', 'duplicate'])
    t.strictSame(await outcomesOf(room, [job]), ['duplicate'])
    t.strictSame(await accountedFor(db), [`c local ${start} RESULT`])
    t.equal(await stateOf(db), 'passing', 'the check is known again')
  },
)

eachDatabase('of two agents that had a missed run, the first to report counts', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c' })
  const first = await claim(room, 'agent-1')
  await cutOff(room, 1)
  const second = await claim(room, 'agent-2')
  t.equal(second.id, first.id)
  t.strictSame(await outcomesOf(room, [first]), ['stale'], 'while another one has it')
  await cutOff(room)
  t.strictSame(await accountedFor(db), [`c local ${start} NO_AGENT`])
  const both = await Promise.all([outcomesOf(room, [first]), outcomesOf(room, [second])])
  t.strictSame(both.flat().sort(), ['accepted', 'duplicate'])
  t.strictSame(await accountedFor(db), [`c local ${start} RESULT`])
  t.equal((await allResults(db)).length, 1)
})

eachDatabase('a run that nobody ever had stays missed', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c' })
  const [job] = await db.select((k) => k.selectFrom('jobs').select(['id', 'fence']))
  room.advance(20_000)
  await sweepTick(room.app)
  t.strictSame(await outcomesOf(room, [{ id: job?.id ?? '', fence: 1 }]), ['stale'])
  t.strictSame(await accountedFor(db), [`c local ${start} NO_AGENT`])
})

eachDatabase('a failing one is final: the time to try it again is over', async (t, db) => {
  const room = engineRoom(db)
  const retryStrategy = { type: 'FIXED', baseBackoffSeconds: 1, maxRetries: 2, maxDurationSeconds: 60 }
  await addCheck(room, { id: 'c', doc: { request: { url: 'http://127.0.0.1/' }, retryStrategy } })
  const job = await claim(room)
  await cutOff(room)
  const report = passingReport(job, start)
  if (report.outcome.kind === 'observed')
    report.outcome.observation.failure = { code: 'ECONNREFUSED', message: 'refused', network: true }
  t.match(await intakeReports(room.app, location, [report]), [{ outcome: 'accepted' }])
  t.match(await allResults(db), [{ result_type: 'FINAL', has_failures: true }])
  t.equal((await db.select((k) => k.selectFrom('jobs').select('id'))).length, 0)
})

t.test('a job that somebody holds keeps only its own report waiting (postgres)', async (t) => {
  const db = await freshDatabase(t, 'postgres')
  const room = engineRoom(db)
  await addCheck(room, { id: 'c' })
  await addCheck(room, { id: 'd' })
  const jobs = await claimJobs(room.app, { location, agent })
  const held = jobs.find(({ checkId }) => checkId === 'c')
  const reports = jobs.map((job) => passingReport(job))
  const outcomes = await db.transaction(async (trx) => {
    await trx.select((k) =>
      k
        .selectFrom('jobs')
        .select('id')
        .where('id', '=', held?.id ?? '')
        .forUpdate(),
    )
    return takeReports(room.app, location, reports)
  })
  t.strictSame(
    new Map(outcomes.map(({ jobId, outcome }) => [jobId, outcome])),
    new Map(jobs.map(({ id, checkId }) => [id, checkId === 'c' ? 'later' : 'accepted'])),
  )
  t.match(
    await takeReports(
      room.app,
      location,
      reports.filter(({ jobId }) => jobId === held?.id),
    ),
    [{ outcome: 'accepted' }],
  )
})
