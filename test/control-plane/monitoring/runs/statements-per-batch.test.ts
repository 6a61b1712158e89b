import t, { type Test } from 'tap'
import { claimJobs } from '../../../../control-plane/monitoring/runs/claim-jobs.ts'
import { intakeReports } from '../../../../control-plane/monitoring/runs/intake.ts'
import { leaseOf, releaseLeases, renewLeases } from '../../../../control-plane/monitoring/runs/leases.ts'
import { scheduleTick } from '../../../../control-plane/monitoring/schedule/schedule.ts'
import type { StatementWatch } from '../../../../control-plane/platform/store/database/statement-watch.ts'
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
