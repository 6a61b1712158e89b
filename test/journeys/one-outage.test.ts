// Runs in test:all only: its programs are killed again and again.
/** One outage, one message: all that is behind a router fails with it, and the control plane is killed while it finds out. */
import t, { type Test } from 'tap'
import { freshDatabaseUrl } from '../support/databases.ts'
import { byLength } from '../support/length.ts'
import { runOutage } from '../support/outage-behind-one.ts'

const settleWithinMs = 300_000
const behind = byLength({ short: 100, all: 100, long: 1000 })

const judge = async (t: Test, databaseUrl: string | null): Promise<void> => {
  const killAt = [0.3, 0.7]
  const { kills, ids, afterMs, dependents, keptBack, alerts } = await runOutage(t, {
    ...{ databaseUrl, behind, killAt, settleWithinMs },
  })
  t.comment(
    `${behind} checks behind one, ${kills} kills: the router was told of after ${afterMs['router']} ms, what is not behind it ` +
      `after ${afterMs['elsewhere']} ms; ${keptBack} failures kept back, ${alerts} alerts`,
  )
  t.equal(kills, killAt.length)
  t.strictSame(Object.keys(ids).toSorted(), ['elsewhere', 'router'], 'these two and nothing else was told of')
  t.equal(ids['router']?.length, 1, 'once')
  t.equal(ids['elsewhere']?.length, 1, 'once')
  t.equal(alerts, 2)
  t.equal(keptBack, behind, 'every other failure is kept back, and known')
  t.strictSame(dependents, [0, behind], 'the message of the router says how many')
}

t.jobs = 2
t.test('all behind one router, and kill -9 (SQLite)', (t) => judge(t, null))

t.test('all behind one router, and kill -9 (PostgreSQL)', async (t) =>
  judge(t, await freshDatabaseUrl(t, 'postgres')),
)
