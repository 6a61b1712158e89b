import t from 'tap'
import { en } from '../../../../control-plane/communication/stored-pages/words/en.ts'
import { daysOf, uptimeOf } from '../../../../control-plane/pages/status/days.ts'
import type { Day } from '../../../../control-plane/pages/status/model.ts'
import { legend } from '../../../../control-plane/pages/status/service-row.ts'
import { type ServiceCheck, serviceState } from '../../../../control-plane/pages/status/states.ts'
import { markupOf } from '../../../../control-plane/platform/web/html/html.ts'

const dayMs = 86_400_000
const now = Date.parse('2026-06-10T12:00:00Z')
const today = Date.parse('2026-06-10T00:00:00Z')
const nothing = {
  incidents: [],
  maintenance: [],
  runs: new Map(),
  measuredFrom: 0,
  state: 'unknown' as const,
  isFailing: false,
}
const marks = (days: readonly Day[]) => days.slice(-4).map(({ state }) => state)

t.test('what was not measured is neither up nor counted as uptime', async (t) => {
  const empty = daysOf(nothing, now)
  t.equal(empty.length, 90)
  t.ok(empty.every(({ state }) => state === 'none'))
  t.equal(uptimeOf(empty), null)
  const runs = new Map([
    [today - dayMs, { runs: 10, failed: 0 }],
    [today, { runs: 5, failed: 0 }],
  ])
  const fresh = daysOf({ ...nothing, runs, state: 'operational' }, now)
  t.strictSame(marks(fresh), ['none', 'none', 'up', 'up'], 'days before the first run are not up')
  t.equal(uptimeOf(fresh), 1)
  const incidents = [{ severity: 'CRITICAL', from: today - dayMs, to: today - dayMs / 2 }]
  const hit = daysOf({ ...nothing, runs, incidents, state: 'operational' }, now)
  t.equal(Math.round((uptimeOf(hit) ?? 0) * 1000), 667, 'half of one of one and a half days')
})

t.test('the bar of today is at least as bad as what the service is now', async (t) => {
  const runs = new Map([[today, { runs: 1000, failed: 1 }]])
  for (const [state, mark] of [
    ['operational', 'up'],
    ['maintenance', 'up'],
    ['degraded', 'degraded'],
    ['partial', 'down'],
    ['major', 'down'],
  ] as const)
    t.equal(daysOf({ ...nothing, runs, state }, now).at(-1)?.state, mark, state)
})

t.test('a service is as its checks are now, unless it is worked on', async (t) => {
  const services = [{ id: 'a', name: 'A' }]
  const state = (checks: ServiceCheck[], more: object = {}) =>
    serviceState('a', { open: [], maintenance: [], checks, ...more })
  const check = (is: ServiceCheck['state'], severity = 'MAJOR'): ServiceCheck => ({ state: is, severity })
  t.equal(state([]), 'unknown', 'nothing looks at it')
  t.equal(state([check('unknown')]), 'unknown')
  t.equal(state([check('unknown'), check('passing')]), 'operational')
  t.equal(state([check('passing'), check('degraded')]), 'degraded')
  t.equal(state([check('passing'), check('failing')]), 'partial')
  t.equal(state([check('failing', 'CRITICAL')]), 'major')
  t.equal(state([check('failing', 'MINOR')]), 'degraded')
  const maintenance = [{ status: 'IN_PROGRESS', services }]
  t.equal(state([check('failing')], { maintenance }), 'maintenance', 'that is expected')
  t.equal(state([], { maintenance, open: [{ severity: 'CRITICAL', services }] }), 'major')
})

t.test('the legend has every look of a bar: a day that was lost in part, too', async (t) => {
  const looks = [...markupOf(legend(en)).matchAll(/<a(?: class="(\w+)")?><\/a><\/span>([^<]+)/g)]
  t.strictSame(
    looks.map(([, mark = '', word]) => [mark, word]),
    [
      ['', en.legend.up],
      ['g', en.legend.degraded],
      ['d2', en.states.partial],
      ['d', en.legend.down],
      ['n', en.legend.none],
    ],
  )
})
