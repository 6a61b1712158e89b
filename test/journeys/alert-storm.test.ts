// Runs in test:all only: its programs are killed again and again.
/**
 * Promise 5 in the worst minute: everything fails at once, and the control plane is killed while it tells. At least
 * once means that a copy may arrive; it then carries the id of the first, and every failure has one id.
 */
import t, { type Test } from 'tap'
import { runAlertStorm, type Storm, type StormOutcome } from '../support/alert-storm.ts'
import { freshDatabaseUrl } from '../support/databases.ts'
import { byLength, runsIn } from '../support/length.ts'

/** What is told before it is known that it is a storm, and the storm: once, and what came later once more. */
const mostAtOnce = 12
/**
 * On a machine on which it takes longer than half a minute until all have failed: what may be told alone before twenty are known to fail, the
 * one beside them, the storm once a minute, and what a kill delayed.
 */
const mostWithBrake = (lastMs: number): number =>
  lastMs <= 30_000 ? mostAtOnce : 22 + 3 * Math.ceil(lastMs / 60_000)

const judge = (t: Test, { checks, killAt, killWhenFailed, brake }: Storm, outcome: StormOutcome): void => {
  const { kills, arrivals, messages, lost, doubled, repeated, alerts, notifications, unrelated, lastMs } =
    outcome
  const told = brake ? checks + 1 : checks
  t.comment(
    `${checks} checks failed at once, ${kills} kills: ${messages} messages arrived, ${repeated} checks were in copies under the ` +
      `same id, ${lost.length} lost, ${doubled.length} doubled; the last new one ${Math.round(lastMs)} ms after the first failure`,
  )
  t.equal(kills, killAt.length + (killWhenFailed === undefined ? 0 : 1))
  t.strictSame(lost, [], 'every failure was told')
  t.strictSame(doubled, [], 'under one id')
  t.equal(alerts, told, 'as one alert')
  t.strictSame(notifications, { SUCCESS: told }, 'and one notification')
  t.equal(arrivals - repeated, told, 'nothing else arrived')
  if (brake) {
    t.ok(messages <= mostWithBrake(lastMs), `${messages} messages`)
    t.equal(unrelated?.members, 1, 'what has nothing to do with it is told alone')
    t.comment(`the unrelated one was told ${unrelated?.ms} ms after its first failing request`)
  } else t.equal(messages, checks)
}

/** How many fail at once. With the brake they are more than an agent runs at once (500) and than a message names (100). */
const alone = byLength({ short: 300, all: 300, long: 1000 })
const together = byLength({ short: 520, all: 520, long: 1000 })
const onPostgres = byLength({ short: 120, all: 120, long: 200 })

t.jobs = 2
/** What a killed one was sending is claimed for 5 s; the rest is for a busy machine to start programs. */
const settleWithinMs = 300_000
const agent = 'starts'

t.test(`${alone} checks that fail at once, and kill -9 (SQLite)`, async (t) => {
  const given = {
    checks: alone,
    killAt: [0.3, 0.6],
    brake: false,
    databaseUrl: null,
    agent,
    browsers: false,
    settleWithinMs,
  } as const
  judge(t, given, await runAlertStorm(t, given))
})

/** What PostgreSQL changes of it, the storm with the brake meets, too, and so do one-outage.test.ts and group-outage.test.ts. */
if (runsIn('long'))
  t.test(`${onPostgres} checks that fail at once, and kill -9 (PostgreSQL)`, async (t) => {
    const given = {
      checks: onPostgres,
      killAt: [0.5],
      brake: false,
      databaseUrl: await freshDatabaseUrl(t, 'postgres'),
      agent,
      browsers: false,
      settleWithinMs,
    } as const
    judge(t, given, await runAlertStorm(t, given))
  })

/** Killed while failures still come in and wait for each other, and when their message has arrived and is not settled yet. */
const inTheMiddle = { killWhenFailed: 0.9, killAt: [0.5] }

t.test(
  `${together} checks that fail at once are a few messages, and kill -9 loses and doubles none (SQLite)`,
  async (t) => {
    const given = {
      checks: together,
      ...inTheMiddle,
      brake: true,
      databaseUrl: null,
      agent,
      browsers: false,
      settleWithinMs,
    } as const
    judge(t, given, await runAlertStorm(t, given))
  },
)

t.test(
  `${onPostgres} checks that fail at once are a few messages, and kill -9 loses and doubles none (PostgreSQL)`,
  async (t) => {
    const given = {
      checks: onPostgres,
      ...inTheMiddle,
      brake: true,
      databaseUrl: await freshDatabaseUrl(t, 'postgres'),
      agent,
      browsers: false,
      settleWithinMs,
    } as const
    judge(t, given, await runAlertStorm(t, given))
  },
)
