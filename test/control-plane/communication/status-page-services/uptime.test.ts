import t from 'tap'
import {
  cardUptime,
  serviceUptime,
} from '../../../../control-plane/communication/status-page-services/uptime.ts'

const dayMs = 24 * 3_600_000
const now = Date.parse('2026-06-01T00:00:00Z')
const span = (fromDays: number, toDays: number | null) => ({
  from: now - fromDays * dayMs,
  to: toDays === null ? null : now - toDays * dayMs,
})
const downDays = (uptime: number) => Math.round((1 - uptime) * 90 * 1e6) / 1e6

t.test('uptime is what incidents leave of 90 days', async (t) => {
  t.equal(serviceUptime([], [], now), 1)
  t.equal(serviceUptime([span(9, 0)], [], now), 0.9)
  t.equal(downDays(serviceUptime([span(2, 1), span(1, null)], [], now)), 2, 'an open one lasts until now')
})

t.test('incidents that overlap count once, and only within the 90 days', async (t) => {
  t.equal(downDays(serviceUptime([span(5, 3), span(4, 2)], [], now)), 3)
  t.equal(downDays(serviceUptime([span(200, 89)], [], now)), 1)
  t.equal(downDays(serviceUptime([span(200, 100)], [], now)), 0)
})

t.test('downtime within a maintenance does not count', async (t) => {
  t.equal(downDays(serviceUptime([span(5, 1)], [span(4, 2), span(3, 2)], now)), 2)
  t.equal(downDays(serviceUptime([span(5, 4)], [span(3, 2)], now)), 1)
})

t.test("a card's uptime is the mean of its services'", async (t) => {
  t.equal(cardUptime([1, 0.5]), 0.75)
  t.equal(cardUptime([]), null)
})
