// Runs on both engines in test:all: rows are locked.
import t, { type Test } from 'tap'
import { intakeReports } from '../../../../control-plane/monitoring/runs/intake.ts'
import { alertStatesTick } from '../../../../control-plane/monitoring/watches/alert-states/alert-states-tick.ts'
import type { Report } from '../../../../protocol/result.ts'
import { alertRoom, refused } from '../../../support/alert-room.ts'
import { engineNames } from '../../../support/databases.ts'
import { passingReport } from '../../../support/engine-room.ts'

const minute = 60_000
const noRetry = { retryStrategy: null, doubleCheck: false }
const threshold = (failedRunThreshold: number, more: object = {}) => ({
  useGlobalAlertSettings: false,
  alertSettings: { runBasedEscalation: { failedRunThreshold }, ...more },
})

for (const engine of engineNames) {
  const test = (name: string, body: (t: Test) => Promise<void>) => t.test(`${name} (${engine})`, body)

  test('a failure and its recovery are one alert each, and one notification per channel', async (t) => {
    const room = await alertRoom(t, engine)
    const both = await room.addChannel({ sendDegraded: true })
    const failures = await room.addChannel({ sendRecovery: false })
    const checkId = await room.addCheck()
    await room.run('pffp')
    t.strictSame(await room.alertTypes(checkId), ['FAILURE', 'RECOVERY'])
    t.strictSame(await room.notified(), [`${both} FAILURE`, `${failures} FAILURE`, `${both} RECOVERY`])
    const { body } = await room.call('GET', `/v1/check-alerts/${checkId}`)
    t.match(body[1], {
      alertType: 'ALERT_FAILURE',
      error: 'The connection was refused',
      runLocation: 'local',
      name: 'Home page',
    })
    t.strictSame(await room.app.db.select((k) => k.selectFrom('alert_states').selectAll()), [])
  })

  test('of two runs of a check in one batch, the first is judged as if the second were not there', async (t) => {
    const room = await alertRoom(t, engine)
    await room.addChannel()
    const checkId = await room.addCheck()
    const scheduled = await room.claim()
    const target = { checkId: [checkId] }
    t.equal((await room.call('POST', '/v2/check-sessions/trigger', { body: { target } })).status, 201)
    const triggered = await room.claim()
    room.advance(1000)
    const reports = [...scheduled, ...triggered].map((job) => passingReport(job, room.app.clock.now()))
    t.equal(reports.length, 2)
    const [failing, passing] = reports as [Report, Report]
    if (failing.outcome.kind !== 'observed') throw new Error('not an observation')
    failing.outcome.observation.failure = refused
    passing.startedAt += 10 * minute
    passing.stoppedAt += 10 * minute
    room.advance(11 * minute)
    await intakeReports(room.app, room.locationId, [failing, passing])
    t.strictSame(await room.alertTypes(checkId), ['FAILURE', 'RECOVERY'])
  })

  test('a channel hears of a degradation and its end only if it wants to', async (t) => {
    const room = await alertRoom(t, engine)
    const wants = await room.addChannel({ sendDegraded: true })
    const not = await room.addChannel()
    const checkId = await room.addCheck()
    await room.run('pdp')
    t.strictSame(await room.alertTypes(checkId), ['DEGRADED', 'DEGRADED_RECOVERY'])
    t.strictSame(await room.notified(), [`${wants} DEGRADED`, `${wants} DEGRADED_RECOVERY`])
    await room.run('fdp')
    t.strictSame((await room.notified()).slice(2), [
      `${wants} FAILURE`,
      `${not} FAILURE`,
      `${wants} FAILURE_DEGRADED`,
      `${wants} DEGRADED_RECOVERY`,
      `${not} DEGRADED_RECOVERY`,
    ])
  })

  test('subscriptions of check and group: each channel once, none that is switched off', async (t) => {
    const room = await alertRoom(t, engine)
    const [own, groups, off] = [await room.addChannel(), await room.addChannel(), await room.addChannel()]
    const on = (alertChannelId: number, activated = true) => ({ alertChannelId, activated })
    const group = await room.call('POST', '/v2/check-groups?autoAssignAlerts=false', {
      body: { name: 'Shop', alertChannelSubscriptions: [on(own), on(groups), on(off)] },
    })
    t.equal(group.status, 201, group.text)
    const answer = await room.call('POST', '/v1/checks/url?autoAssignAlerts=false', {
      body: {
        name: 'Cart',
        request: { url: 'http://127.0.0.1:9/' },
        privateLocations: ['local'],
        frequency: 1,
        groupId: group.body.id,
        alertChannelSubscriptions: [on(own), on(off, false)],
        ...noRetry,
      },
    })
    t.equal(answer.status, 201, answer.text)
    await room.run('f')
    t.strictSame(await room.notified(), [`${own} FAILURE`, `${groups} FAILURE`])
  })

  test('the threshold of the check, reminders by the clock, and both end with the recovery', async (t) => {
    const room = await alertRoom(t, engine)
    await room.addChannel()
    const reminders = { reminders: { amount: 2, interval: 5 } }
    const checkId = await room.addCheck(threshold(2, reminders))
    await room.run('fpff')
    t.strictSame(await room.alertTypes(checkId), ['FAILURE_REMAIN'])
    for (let minutes = 0; minutes < 20; minutes++) {
      room.advance(minute)
      await alertStatesTick(room.app)
    }
    t.strictSame(await room.alertTypes(checkId), Array(3).fill('FAILURE_REMAIN'))
    t.equal((await room.notified()).length, 3)
    const events = await room.app.db.select((k) =>
      k.selectFrom('alert_notifications').select('event').orderBy('created_at'),
    )
    t.strictSame(
      events.map(({ event }) => (JSON.parse(event) as { reminder: number }).reminder),
      [0, 1, 2],
    )
  })

  test('time based: told by the clock, once, however many control planes look', async (t) => {
    const room = await alertRoom(t, engine)
    await room.addChannel()
    const checkId = await room.addCheck({
      useGlobalAlertSettings: false,
      alertSettings: {
        escalationType: 'TIME_BASED',
        timeBasedEscalation: { minutesFailingThreshold: 5 },
      },
    })
    await room.run('pf')
    room.advance(5 * minute - 1)
    await alertStatesTick(room.app)
    t.strictSame(await room.alertTypes(checkId), [])
    room.advance(1)
    await Promise.all([alertStatesTick(room.app), alertStatesTick(room.app), alertStatesTick(room.app)])
    t.strictSame(await room.alertTypes(checkId), ['FAILURE'])
    t.equal((await room.notified()).length, 1)
  })

  test('muted checks alert nobody, and nothing that is not the target alerts', async (t) => {
    const room = await alertRoom(t, engine)
    await room.addChannel()
    const muted = await room.addCheck({ muted: true })
    await room.run('pffp')
    t.strictSame(await room.alertTypes(muted), [])
    await room.call('DELETE', `/v1/checks/${muted}`)
    const checkId = await room.addCheck()
    await room.run('pcxc')
    t.strictSame(await room.alertTypes(checkId), [])
    await room.run('fcxf')
    t.strictSame(await room.alertTypes(checkId), ['FAILURE'], 'nor does it recover')
  })

  test('maintenance keeps alerts back; what still fails at its end alerts then', async (t) => {
    const room = await alertRoom(t, engine)
    await room.addChannel()
    const now = room.app.clock.now()
    const window = await room.call('POST', '/v1/maintenance-windows', {
      body: {
        name: 'Upgrade',
        startsAt: new Date(now).toISOString(),
        endsAt: new Date(now + 10 * minute).toISOString(),
        repeatUnit: null,
        silenceAllAlerts: true,
      },
    })
    t.equal(window.status, 201, window.text)
    const checkId = await room.addCheck()
    await room.run('pff')
    t.strictSame(await room.alertTypes(checkId), [])
    while (room.app.clock.now() < now + 10 * minute) {
      await alertStatesTick(room.app)
      t.strictSame(await room.alertTypes(checkId), [])
      room.advance(10_000)
    }
    t.strictSame(await room.alertTypes(checkId), [])
    await alertStatesTick(room.app)
    t.strictSame(await room.alertTypes(checkId), ['FAILURE_REMAIN'])
    t.equal((await room.notified()).length, 1)
  })

  test('an incident opens with the alert and is resolved with the recovery', async (t) => {
    const room = await alertRoom(t, engine)
    const service = await room.call('POST', '/v1/status-pages/services', { body: { name: 'Shop' } })
    t.equal(service.status, 201, service.text)
    await room.addCheck({
      ...threshold(2),
      triggerIncident: { serviceId: service.body.id, name: 'Shop is down', description: 'We are on it' },
    })
    const incidents = () =>
      room.app.db.select((k) => k.selectFrom('incidents').select(['name', 'status', 'resolved_at']))
    await room.run('pf')
    t.strictSame(await incidents(), [], 'not on the first failed run')
    await room.run('ff')
    t.match(await incidents(), [{ name: 'Shop is down', status: 'INVESTIGATING', resolved_at: null }])
    await room.run('p')
    t.match(await incidents(), [{ status: 'RESOLVED' }])
  })

  test('with a check goes its alert state', async (t) => {
    const room = await alertRoom(t, engine)
    const checkId = await room.addCheck()
    await room.run('pf')
    const states = () => room.app.db.select((k) => k.selectFrom('alert_states').select('check_id'))
    t.strictSame(await states(), [{ check_id: checkId }])
    await room.call('DELETE', `/v1/checks/${checkId}`)
    t.strictSame(await states(), [])
  })
}
