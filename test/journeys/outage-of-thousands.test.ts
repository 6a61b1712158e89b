// Runs in test:all only: an outage takes as long as it takes.
/**
 * Two thousand checks, three agents of one location and one of another, all of them processes: the control plane is killed for ten seconds, for a minute
 * and a half, and in test:long for half an hour. Every due time is worked out from outside and looked for. How fast that is: bench P17.
 */
import t from 'tap'
import { installForOutage } from '../../bench/support/outage.ts'
import { byLength } from '../support/length.ts'

const seconds = byLength<readonly number[]>({ short: [10], all: [10, 90], long: [10, 90, 1800] })
/** So that in most outages a check is due once or not at all, and in that of half an hour thirty times. */
const periodSeconds = byLength({ short: 300, all: 300, long: 60 })

t.test('each due time of thousands of checks ends once, however long nobody was there', async (t) => {
  const installation = await installForOutage(t, {
    checks: 2000,
    periodSeconds,
    triesBrowsers: false,
  })
  for (const away of seconds)
    await t.test(`${away} seconds`, async (t) => {
      const { ledger, ...figures } = await installation.away(away * 1000)
      t.comment(JSON.stringify(figures))
      t.strictSame(ledger.lost, [], 'every due time is accounted for')
      t.strictSame(ledger.doubled, [], 'and none twice')
      t.strictSame(ledger.unexpected, [])
      t.ok(figures.due > 0)
      t.ok(figures.run >= 0.95 * figures.due, `${figures.run} of ${figures.due} were run`)
      if (away >= 60) t.ok(figures.late > 0, `${figures.late} by agents that were alone`)
    })
})
