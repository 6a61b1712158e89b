import t from 'tap'
import {
  durationSeconds,
  type IncidentStatus,
  timelineOf,
} from '../../../../control-plane/communication/incidents/timeline.ts'

const second = 1000
const timeline = (...steps: [number, IncidentStatus][]) =>
  timelineOf(steps.map(([seconds, status]) => ({ at: seconds * second, status })))
const duration = (now: number, ...steps: [number, IncidentStatus][]) =>
  durationSeconds(timeline(...steps), now * second)

t.test('the status is that of the update that happened last', async (t) => {
  t.equal(timeline([1, 'INVESTIGATING'], [2, 'IDENTIFIED']).status, 'IDENTIFIED')
})

t.test('an open incident lasts from its first update until now', async (t) => {
  t.equal(duration(100, [10, 'INVESTIGATING'], [20, 'MONITORING']), 90)
  t.equal(duration(5, [10, 'INVESTIGATING']), 0, 'never less than nothing')
})

t.test('a resolved one lasts until the update that resolved it', async (t) => {
  t.equal(duration(100, [10, 'INVESTIGATING'], [20, 'RESOLVED']), 10)
  t.equal(duration(100, [10, 'INVESTIGATING'], [20, 'RESOLVED'], [50, 'RESOLVED']), 10, 'words added later')
})

t.test('re-opened in between, it lasts until the last resolving update', async (t) => {
  const steps: [number, IncidentStatus][] = [
    [10, 'INVESTIGATING'],
    [20, 'RESOLVED'],
    [30, 'INVESTIGATING'],
    [45, 'RESOLVED'],
    [50, 'RESOLVED'],
  ]
  t.equal(duration(100, ...steps), 35)
  t.equal(duration(100, ...steps.slice(0, 3)), 90, 'and while it is open again, until now')
})

t.test('one that was RESOLVED from the start has no duration', async (t) => {
  t.equal(duration(100, [10, 'RESOLVED']), null)
  t.equal(duration(100, [10, 'RESOLVED'], [20, 'RESOLVED']), null)
})
