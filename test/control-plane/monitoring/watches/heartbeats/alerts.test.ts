// Runs on both engines in test:all: rows are locked.
import type { Test } from 'tap'
import { forgiveTick } from '../../../../../control-plane/monitoring/runs/forgive.ts'
import { aliveTick, recover } from '../../../../../control-plane/monitoring/runs/recover.ts'
import { heartbeatTick } from '../../../../../control-plane/monitoring/watches/heartbeats/heartbeat-tick.ts'
import { eachEngine, type TestApp } from '../../../../support/app.ts'

const token = '0b0a1c52-6d65-4a5c-8f0c-1d2e3f405162'

/** A check that is pinged every minute, with half a minute of grace, and a channel that it subscribes to. */
const eachPingedCheck = (
  name: string,
  body: (t: Test, plane: TestApp, id: string) => Promise<void>,
): void => {
  eachEngine(name, async (t, plane) => {
    const channel = await plane.call('POST', '/v1/alert-channels', {
      body: { type: 'EMAIL', config: { address: 'ops@example.com' } },
    })
    const {
      status,
      text,
      body: check,
    } = await plane.call('POST', '/v1/checks/heartbeat', {
      body: {
        name: 'Backup',
        script: '',
        heartbeat: {
          period: 60,
          periodUnit: 'seconds',
          grace: 30,
          graceUnit: 'seconds',
          pingToken: token,
        },
        alertChannelSubscriptions: [{ alertChannelId: channel.body.id, activated: true }],
      },
    })
    if (status !== 201) throw new Error(text)
    await body(t, plane, check.id)
  })
}

const ping = (plane: TestApp) => plane.call('GET', `/ping/${token}`, { key: null })

const alerts = async (plane: TestApp): Promise<string[]> =>
  (
    await plane.app.db.select((k) =>
      k.selectFrom('check_alerts').select('alert_type').orderBy('created_at').orderBy('id'),
    )
  ).map(({ alert_type }) => alert_type)

const notifications = async (plane: TestApp): Promise<number> =>
  (await plane.app.db.select((k) => k.selectFrom('alert_notifications').select('id'))).length

eachPingedCheck('a ping that stays away alerts once, and the next one recovers', async (t, plane, id) => {
  await ping(plane)
  plane.advance(60_000)
  await ping(plane)
  t.strictSame(await alerts(plane), [], 'pings of a check that is well say nothing')
  plane.advance(90_001)
  await Promise.all([heartbeatTick(plane.app), heartbeatTick(plane.app)])
  t.strictSame(await alerts(plane), ['ALERT_FAILURE'])
  plane.advance(90_001)
  await heartbeatTick(plane.app)
  t.strictSame(await alerts(plane), ['ALERT_FAILURE'], 'still away is no further alert')
  plane.advance(1000)
  await ping(plane)
  plane.advance(1000)
  await ping(plane)
  t.strictSame(await alerts(plane), ['ALERT_FAILURE', 'ALERT_RECOVERY'])
  t.equal(await notifications(plane), 2)
  const { body } = await plane.call('GET', `/v1/check-results/${id}?limit=10`)
  t.match(body[0] ?? body.entries?.[0], { hasFailures: false })
})

eachPingedCheck('a restart of the timer does not hide the recovery', async (t, plane, id) => {
  await ping(plane)
  plane.advance(90_001)
  await heartbeatTick(plane.app)
  const change = await plane.call('PUT', `/v1/checks/heartbeat/${id}`, {
    body: {
      heartbeat: { period: 2, periodUnit: 'minutes', grace: 30, graceUnit: 'seconds', pingToken: token },
    },
  })
  t.equal(change.status, 200, change.text)
  plane.advance(1000)
  await ping(plane)
  t.strictSame(await alerts(plane), ['ALERT_FAILURE', 'ALERT_RECOVERY'])
})

eachPingedCheck('a ping that was awaited while we were down gets its grace anew', async (t, plane) => {
  await ping(plane)
  plane.advance(50_000)
  await aliveTick(plane.app)
  plane.advance(35_000)
  await recover(plane.app)
  await forgiveTick(plane.app)
  plane.advance(10_000)
  await heartbeatTick(plane.app)
  t.strictSame(await alerts(plane), [], 'its own grace ended after we were back, too early to try again')
  plane.advance(60_000)
  await heartbeatTick(plane.app)
  t.strictSame(await alerts(plane), ['ALERT_FAILURE'])
})

eachPingedCheck('a muted check is not told about', async (t, plane, id) => {
  await plane.call('PUT', `/v1/checks/heartbeat/${id}`, { body: { muted: true } })
  await ping(plane)
  plane.advance(90_001)
  await heartbeatTick(plane.app)
  t.strictSame(await alerts(plane), [])
})
