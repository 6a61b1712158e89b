import t, { type Test } from 'tap'
import { claimJobs } from '../../../../control-plane/monitoring/runs/claim-jobs.ts'
import { intakeReports } from '../../../../control-plane/monitoring/runs/intake.ts'
import { leaseOf, releaseLeases, renewLeases } from '../../../../control-plane/monitoring/runs/leases.ts'
import { scheduleTick } from '../../../../control-plane/monitoring/schedule/schedule.ts'
import type { Db } from '../../../../control-plane/platform/store/database/db.ts'
import type { StatementWatch } from '../../../../control-plane/platform/store/database/statement-watch.ts'
import type { WholeApp } from '../../../../control-plane/whole-app.ts'
import { alertRoom, type Letter } from '../../../support/alert-room.ts'
import { allResultIds } from '../../../support/all-results.ts'
import { freshDatabase } from '../../../support/databases.ts'
import {
  addCheck,
  claimRequest,
  engineRoom,
  localLocation,
  passingReport,
} from '../../../support/engine-room.ts'

const minute = 60_000

/** How often each statement ran on PostgreSQL for a round of so many checks; each of them a round trip. */
const statementsOf = async (t: Test, count: number) => {
  const noted: string[] = []
  const watch: StatementWatch = { monotonic: () => 0, note: ({ name }) => noted.push(name ?? 'built') }
  const room = engineRoom(await freshDatabase(t, 'postgres', watch))
  const { app, advance } = room
  const ids = Array.from({ length: count }, (_, index) => `check-${String(index).padStart(4, '0')}`)
  for (const id of ids) await addCheck(room, { id, periodMs: minute })
  const agent = claimRequest({ agentId: 'agent-1', maxUptime: 10_000 })
  const holder = { location: localLocation.id, agentId: 'agent-1' }
  const during = async <T>(work: () => Promise<T>): Promise<{ value: T; statements: string[] }> => {
    noted.length = 0
    const value = await work()
    return { value, statements: [...noted].sort() }
  }
  const claim = () => during(() => claimJobs(app, { location: localLocation.id, agent }))
  const report = (jobs: Awaited<ReturnType<typeof claim>>['value']) =>
    during(() =>
      intakeReports(
        app,
        localLocation.id,
        jobs.map((job) => passingReport(job, app.clock.now())),
      ),
    )
  // The first runs make the statuses, the second ones change them.
  const first = await claim()
  const firstReports = await report(first.value)
  advance(minute)
  const planned = await during(() => scheduleTick(app))
  const claimed = await claim()
  const renewed = await during(() => renewLeases(app, holder, claimed.value.map(leaseOf)))
  const released = await during(() => releaseLeases(app, holder, claimed.value.map(leaseOf)))
  const again = await claim()
  const reported = await report(again.value)
  t.strictSame(renewed.value, [])
  t.equal(released.value, claimed.value.length)
  for (const { value } of [firstReports, reported]) {
    t.equal(value.length, count)
    t.ok(value.every(({ outcome }) => outcome === 'accepted'))
  }
  const stored = await app.db.select((k) => k.selectFrom('check_statuses').select('updated_at'))
  t.equal(stored.filter(({ updated_at }) => updated_at !== null).length, count)
  return {
    planned: planned.statements,
    claimed: claimed.statements,
    renewed: renewed.statements,
    released: released.statements,
    reported: reported.statements,
  }
}

t.test('what is done for many healthy checks is as many statements as for a few', async (t) => {
  const few = await statementsOf(t, 2)
  t.strictSame(await statementsOf(t, 150), few)
  t.match(few, {
    renewed: ['renew-leases'],
    released: ['release-leases'],
    reported: [
      'applied-migrations',
      'closed-until',
      'delete-jobs',
      'find-jobs',
      'insert-into-result_docs_retained',
      'insert-into-result_rows_retained',
      'lock-parallel-checks-of-jobs',
      'numbers-of-checks',
      'numbers-of-locations',
      'record-status-rows',
      'result-periods-between',
      'running-checks',
    ],
  })
})

/** A control plane whose transactions are done with another view of them. */
const within = (app: WholeApp, view: (trx: Db, work: (trx: Db) => Promise<unknown>) => Promise<unknown>) => ({
  ...app,
  db: {
    ...app.db,
    transaction: <T>(work: (trx: Db) => Promise<T>) =>
      app.db.transaction((trx) => view(trx, work) as Promise<T>),
  },
})

/** It notes the names of the statements of its transactions. */
const noting = (app: WholeApp, noted: string[]): WholeApp =>
  within(app, (trx, work) => {
    const noteFirst =
      <A extends unknown[], R>(run: (...all: A) => R) =>
      (...all: A): R => {
        noted.push((all[0] as { name?: string }).name || 'built')
        return run(...all)
      }
    const { engine, all, get, run, select, execute } = trx
    const seen = { all: noteFirst(all), get: noteFirst(get), run: noteFirst(run) }
    return work({ engine, ...seen, select: noteFirst(select), execute: noteFirst(execute) } as Db)
  })

const places = ['eu-west-1', 'eu-west-2']

/** So many checks of each kind fail, are tried again, fail for good and recover; others fail in parallel runs. */
const statementsOfFailures = async (
  t: Test,
  count: number,
  ofGroup: object = {},
  alertSettings: object = {},
) => {
  const room = await alertRoom(t, 'postgres')
  const settings = await room.call('PATCH', '/v1/accounts/me', { body: { alertSettings } })
  t.equal(settings.status, 200, settings.text)
  const channel = await room.addChannel()
  const group = await room.call('POST', '/v1/check-groups', { body: { name: 'shop', ...ofGroup } })
  t.equal(group.status, 201, group.text)
  const body = {
    groupId: group.body.id,
    doubleCheck: true,
    frequencyOffset: 5,
    alertChannelSubscriptions: [{ alertChannelId: channel, activated: true }],
  }
  const parallel = { ...body, doubleCheck: false, privateLocations: [], locations: places, runParallel: true }
  for (let n = 0; n < count; n++) {
    await room.addCheck({ ...body, name: `alone ${n}` })
    await room.addCheck({ ...parallel, groupId: null, name: `parallel ${n}` })
  }
  const noted: string[] = []
  const app = noting(room.app, noted)
  const during = async (letter: Letter, location = room.locationId): Promise<string[]> => {
    const jobs = await room.claim(location)
    t.equal(jobs.length, count, `${letter} in ${location}`)
    noted.length = 0
    await room.reportTogether(app, jobs, letter)
    return [...noted].sort()
  }
  const due = async (): Promise<void> => {
    room.advance(minute)
    await scheduleTick(room.app)
  }
  const [first, second] = places as [string, string]
  const tried = await during('f')
  const failed = await during('f')
  const half = await during('f', first)
  const whole = await during('f', second)
  const told = await room.notified()
  t.equal(told.filter((one) => one === `${channel} FAILURE`).length, 2 * count)
  await due()
  const recovered = await during('p')
  t.equal((await room.notified()).length, 3 * count)
  return { tried, failed, half, whole, recovered }
}

t.test('what failures lead to is as many statements for many as for a few', async (t) => {
  const few = await statementsOfFailures(t, 2)
  t.strictSame(await statementsOfFailures(t, 40), few)
  t.ok(few.failed.length <= 36, `${few.failed.length} statements for failures that alert`)
  const { failed } = few
  for (const name of [
    'hold-alert-states',
    'save-alert-state-rows',
    'insert-check-alert-rows',
    'queue-notification-rows',
    'upsert-error-group-rows',
    'record-status-rows',
  ])
    t.equal(failed.filter((one) => one === name).length, 1, name)
  t.equal(few.tried.filter((one) => one === 'insert-job-rows').length, 1, 'retries')
})

t.test(
  'a group that is judged as a whole costs one statement more for a batch in which one of its checks tells something',
  async (t) => {
    const withHealth = { groupHealth: { failingWhen: 'ALL', tells: 'BOTH' } }
    const few = await statementsOfFailures(t, 2, withHealth)
    t.strictSame(await statementsOfFailures(t, 20, withHealth), few)
    const without = await statementsOfFailures(t, 2)
    const mark = 'mark-group-health'
    t.notOk(Object.values(without).flat().includes(mark))
    t.strictSame(few, {
      ...without,
      failed: [...without.failed, mark].sort(),
      recovered: [...without.recovered, mark].sort(),
    })
  },
)

t.test(
  'a storm is as few statements, however many fail; only what is none asks whether one goes on',
  async (t) => {
    const brake = { stormBrake: { enabled: true, checks: 20, percent: 100 } }
    const storm = await statementsOfFailures(t, 20, {}, brake)
    t.strictSame(await statementsOfFailures(t, 50, {}, brake), storm)
    const lone = await statementsOfFailures(t, 2, {}, brake)
    const ofBrake = ['count-active-checks', 'courses-of-gathers', 'gathers-of-openings', 'recent-openings']
    const asked = (statements: string[]) => statements.filter((one) => ofBrake.includes(one))
    t.strictSame(asked(storm.failed), ['courses-of-gathers', 'recent-openings'])
    t.strictSame(asked(lone.failed), ['count-active-checks', 'gathers-of-openings', 'recent-openings'])
  },
)

t.test('of eight batches of first results at once none waits for another to end', async (t) => {
  const room = engineRoom(await freshDatabase(t, 'postgres'))
  const { app } = room
  const [batches, perBatch] = [8, 25]
  for (let n = 0; n < batches * perBatch; n++)
    await addCheck(room, { id: `check-${String(n).padStart(4, '0')}`, periodMs: minute })
  const agent = claimRequest({ agentId: 'agent-1', maxUptime: 10_000 })
  const jobs = await claimJobs(app, { location: localLocation.id, agent })
  // A location has its number since its first result.
  const reports = (some: typeof jobs) => some.map((job) => passingReport(job, app.clock.now()))
  await intakeReports(app, localLocation.id, reports(jobs.splice(0, 1)))
  const parts = Array.from({ length: batches }, (_, n) => jobs.filter((_, at) => at % batches === n))
  // Each stays open until all have written all that they write: who waited for another's commit would wait for ever.
  const written = Promise.withResolvers<void>()
  let open = 0
  const together = within(app, async (trx, work) => {
    const value = await work(trx).catch((error: unknown) => {
      written.reject(error)
      throw error
    })
    open += 1
    if (open === batches) written.resolve()
    await written.promise
    return value
  })
  const answers = await Promise.all(
    parts.map((part) => intakeReports(together, localLocation.id, reports(part))),
  )
  t.ok(answers.flat().every(({ outcome }) => outcome === 'accepted'))
  t.equal((await allResultIds(app.db)).length, batches * perBatch)
})
