// Runs in test:all only: its programs are killed again and again.
/**
 * Promise 5 in the worst minute: everything fails at once, and the control plane is killed while it tells. At least
 * once means that a copy may arrive; it then carries the id of the first, and every failure has one id.
 */
import t, { type Test } from 'tap'
import { runAlertStorm, type Storm, type StormOutcome } from '../support/alert-storm.ts'
import { freshDatabaseUrl } from '../support/databases.ts'

const judge = (t: Test, { checks, killAt }: Storm, outcome: StormOutcome): void => {
  const { kills, arrivals, lost, doubled, repeated, alerts, notifications, lastMs } = outcome
  t.comment(
    `${checks} checks failed at once, ${kills} kills: ${arrivals} webhooks arrived, ${repeated} of them copies under the ` +
      `same id, ${lost.length} lost, ${doubled.length} doubled; the last new one ${Math.round(lastMs)} ms after the first failure`,
  )
  t.equal(kills, killAt.length)
  t.strictSame(lost, [], 'every failure was told')
  t.strictSame(doubled, [], 'under one id')
  t.equal(alerts, checks, 'as one alert')
  t.strictSame(notifications, { SUCCESS: checks }, 'and one notification')
  t.equal(arrivals - repeated, checks, 'nothing else arrived')
}

t.jobs = 2
/** What a killed one was sending is claimed for 20 s; the rest is for a busy machine to start programs. */
const settleWithinMs = 300_000

t.test('1,000 checks that fail at once, and kill -9 (SQLite)', async (t) => {
  const given = { checks: 1000, killAt: [0.3, 0.6], databaseUrl: null, settleWithinMs }
  judge(t, given, await runAlertStorm(t, given))
})

t.test('200 checks that fail at once, and kill -9 (PostgreSQL)', async (t) => {
  const given = {
    checks: 200,
    killAt: [0.5],
    databaseUrl: await freshDatabaseUrl(t, 'postgres'),
    settleWithinMs,
  }
  judge(t, given, await runAlertStorm(t, given))
})
