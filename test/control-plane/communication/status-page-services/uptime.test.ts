import t from 'tap'
import { type Span, spanUptime } from '../../../../control-plane/communication/status-page-services/uptime.ts'

const dayMs = 24 * 3_600_000
const now = Date.parse('2026-06-01T00:00:00Z')
const span = (fromDays: number, toDays: number | null) => ({
  from: now - fromDays * dayMs,
  to: toDays === null ? null : now - toDays * dayMs,
})
const uptime = (incidents: readonly Span[], maintenance: readonly Span[] = []) =>
  spanUptime(incidents, maintenance, { from: now - 90 * dayMs, to: now })
const downDays = (share: number) => Math.round((1 - share) * 90 * 1e6) / 1e6

t.test('uptime is what incidents leave of 90 days', async (t) => {
  t.equal(uptime([]), 1)
  t.equal(uptime([span(9, 0)]), 0.9)
  t.equal(downDays(uptime([span(2, 1), span(1, null)])), 2, 'an open one lasts until now')
})

t.test('incidents that overlap count once, and only within the 90 days', async (t) => {
  t.equal(downDays(uptime([span(5, 3), span(4, 2)])), 3)
  t.equal(downDays(uptime([span(200, 89)])), 1)
  t.equal(downDays(uptime([span(200, 100)])), 0)
})

t.test('downtime within a maintenance does not count', async (t) => {
  t.equal(downDays(uptime([span(5, 1)], [span(4, 2), span(3, 2)])), 2)
  t.equal(downDays(uptime([span(5, 4)], [span(3, 2)])), 1)
})
