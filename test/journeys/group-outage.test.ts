// Runs in test:all only: its programs are killed again and again.
/** A group turns twice, and the control plane is killed around it: what it thinks of itself is neither lost nor told twice. */
import t, { type Test } from 'tap'
import { freshDatabaseUrl } from '../support/databases.ts'
import { runGroupOutage } from '../support/group-outage.ts'
import { byLength } from '../support/length.ts'

const settleWithinMs = 300_000
/** It turns with the half of its checks, and at that and before it is killed on SQLite; on either engine when a message arrives. */
const beforeAndTurns = [0.3, 0.5]

const judge = async (t: Test, databaseUrl: string | null, killAt: readonly number[]): Promise<void> => {
  const checks = byLength({ short: 30, all: 40, long: 200 })
  const told = await runGroupOutage(t, { checks, databaseUrl, killAt, settleWithinMs })
  t.comment(`${checks} checks, ${told.kills} kills`)
  t.equal(told.kills, 2 * (killAt.length + 1))
  t.match(told.failing, { state: 'failing', told: 'failing', failing: checks })
  t.strictSame(told.over, { state: 'passing', told: null, failing: 0 })
  t.strictSame(told.alerts, ['ALERT_FAILURE', 'ALERT_RECOVERY'])
  t.strictSame(
    Object.entries(told.ids).map(([type, ids]) => [type, ids.length]),
    [
      ['ALERT_FAILURE', 1],
      ['ALERT_RECOVERY', 1],
    ],
    'each under one id, and nothing else was told',
  )
}

t.jobs = 2
t.test('a group that tells instead of its checks, and kill -9 (SQLite)', (t) =>
  judge(t, null, beforeAndTurns),
)
t.test('a group that tells instead of its checks, and kill -9 (PostgreSQL)', async (t) =>
  judge(t, await freshDatabaseUrl(t, 'postgres'), byLength({ short: [], all: [], long: beforeAndTurns })),
)
