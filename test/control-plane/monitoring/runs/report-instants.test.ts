// Runs on both engines: what a period knows of its runs is kept in other ways.
import t from 'tap'
import { resultDoc } from '../../../../control-plane/monitoring/results/result-doc.ts'
import { findResultById } from '../../../../control-plane/monitoring/results/stored/find-results.ts'
import { atItsTime } from '../../../../control-plane/monitoring/runs/report-instants.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { claimRequest, passingReport } from '../../../support/engine-room.ts'
import { randomFrom } from '../../../support/random.ts'

const minute = 60_000
const dayMs = 86_400_000
const year = 365 * dayMs

t.test('a run is not before its due time, nor after now, and takes as long as it took', async (t) => {
  const random = randomFrom(11)
  const within = (most: number): number => Math.floor(random() * most)
  for (let n = 0; n < 2000; n++) {
    const dueAt = 50 * year + within(year)
    const now = dueAt + within(dayMs)
    const off = [0, within(minute), -within(minute), within(300 * year), -within(50 * year)][n % 5] ?? 0
    const startedAt = dueAt + within(now - dueAt + 1) + off
    const said = { ...passingReport({ id: 'a', fence: 1 }, startedAt), stoppedAt: startedAt + within(minute) }
    const moved = atItsTime(said, { dueAt, now })
    const sound = said.startedAt >= dueAt - minute && said.stoppedAt <= now + minute
    t.equal(moved === said, sound, 'what can be is left alone')
    t.ok(moved.startedAt >= dueAt - minute && moved.stoppedAt <= now + minute)
    t.ok(moved.stoppedAt >= moved.startedAt)
    if (moved.stoppedAt < now + minute)
      t.equal(moved.stoppedAt - moved.startedAt, said.stoppedAt - said.startedAt)
    t.equal(moved.log.length, sound ? 0 : 1)
  }
})

for (const engine of engineNames)
  t.test(`an agent whose clock is centuries off keeps no day for ever (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const request = { url: 'http://127.0.0.1/' }
    for (const name of ['ahead', 'behind', 'backwards']) {
      const body = { name, request, privateLocations: ['local'], locations: [], doubleCheck: false }
      t.equal((await plane.call('POST', '/v1/checks/url', { body })).status, 201)
    }
    const { body: claimed } = await plane.call('POST', '/agent/v1/claim', {
      key: plane.agentKey,
      body: claimRequest(),
    })
    const now = plane.app.clock.now()
    const [ahead, behind, backwards] = claimed.jobs
    const reports = [
      passingReport(ahead, now + 300 * year),
      passingReport(behind, 1000),
      { ...passingReport(backwards, now), stoppedAt: now - dayMs },
    ]
    const answer = await plane.call('POST', '/agent/v1/report', {
      key: plane.agentKey,
      body: { agentId: 'agent-1', reports },
    })
    t.strictSame(
      answer.body.outcomes.map(({ outcome }: { outcome: string }) => outcome),
      ['accepted', 'accepted', 'accepted'],
    )
    for (const { id, checkId } of claimed.jobs) {
      const { body } = await plane.call('GET', `/v1/check-results/${checkId}/${id}`)
      t.ok(Math.abs(Date.parse(body.startedAt) - now) <= minute, body.startedAt)
      t.ok(Date.parse(body.stoppedAt) >= Date.parse(body.startedAt), body.stoppedAt)
      t.equal(body.responseTime, 5)
      const { log } = resultDoc.read((await findResultById(plane.app.db, id))?.doc ?? '')
      t.match(log, [{ time: now, level: 'WARN', msg: /^The agent's clock is off/ }], 'it says so')
    }
    const periods = await plane.app.db.select((k) => k.selectFrom('result_periods').selectAll())
    for (const { from_at, to_at, oldest_at, newest_at } of periods) {
      t.ok((oldest_at ?? from_at) >= from_at - dayMs, 'none begins long ago')
      t.ok((newest_at ?? 0) <= to_at + dayMs, 'none ends in centuries')
    }
  })
