import t from 'tap'
import { isSettled } from '../../../../../control-plane/monitoring/watches/late-judging/settled-locations.ts'

const since = 1_000_000
const agent = (agent_id: string, contact_at: number, reports = 0) => ({ agent_id, contact_at, reports })
const settled = (seconds: number, agents: ReturnType<typeof agent>[], holders = ['a', 'b']): boolean =>
  isSettled({ since, holders }, { agents, now: since + seconds * 1000, graceMs: 600_000 })

t.test('all who had orders are waited for, as long as agents take to come back', (t) => {
  t.notOk(settled(1, []))
  t.notOk(settled(1, [agent('a', since)]))
  t.ok(settled(1, [agent('a', since), agent('b', since - 9000)]), 'both are back')
  t.notOk(settled(1, [agent('a', since), agent('b', since - 60_000)]), 'one was heard before the outage only')
  t.ok(settled(45, [agent('a', since)]), 'the other does not come back')
  t.ok(settled(1, [], []), 'nobody had orders')
  t.end()
})

t.test('whoever is back is waited for until it has brought everything, and not for ever', (t) => {
  t.notOk(settled(1, [agent('a', since, 5), agent('b', since)]))
  t.notOk(settled(599, [agent('a', since + 510_000, 5), agent('b', since)]))
  t.ok(settled(599, [agent('a', since + 509_000, 5), agent('b', since)]), 'it fell silent')
  t.ok(settled(600, [agent('a', since + 500_000, 5), agent('b', since)]))
  t.end()
})
