import type { TestApp } from '../../support/app.ts'
import { testRules } from '../../support/contract-rules.ts'
import { work } from '../../support/work.ts'

const minute = 60_000

type Wants = { sendFailure: boolean; sendRecovery: boolean }

const channel = async ({ call, app }: TestApp, wants: Wants) => {
  const config = { address: `${app.newId()}@example.com` }
  const answer = await call('POST', '/v1/alert-channels', { body: { type: 'EMAIL', config, ...wants } })
  return answer.body.id as number
}

const failing = async (plane: TestApp, more: object) => {
  const request = { url: 'http://127.0.0.1/' }
  const places = { privateLocations: ['local'], frequency: 1, doubleCheck: false }
  const { body } = await plane.call('POST', '/v1/checks/url?autoAssignAlerts=false', {
    body: { name: 'site', request, ...places, ...more },
  })
  await work(plane, 'failing')
  return body.id as string
}

const recover = async (plane: TestApp, checkId: string) => {
  plane.advance(minute)
  await plane.call('POST', '/v1/check-sessions/trigger', { body: { target: { checkId: [checkId] } } })
  await work(plane, 'passing')
}

/** How many notifications the channel got when the check failed, and how many until it had recovered. */
const notifications = async (plane: TestApp, wants: Wants, more: object = {}) => {
  const alertChannelId = await channel(plane, wants)
  const count = async () =>
    (await plane.call('GET', `/v1/alert-notifications?alertChannelId=${alertChannelId}`)).body.length
  const alertChannelSubscriptions = [{ alertChannelId, activated: true }]
  const checkId = await failing(plane, { alertChannelSubscriptions, ...more })
  const failed = await count()
  await recover(plane, checkId)
  const recovered = await count()
  await plane.call('DELETE', `/v1/checks/${checkId}`)
  return { failed, recovered }
}

testRules('Events', {
  '`sendFailure`: the channel is told of failures': async (t, plane) => {
    const told = await notifications(plane, { sendFailure: true, sendRecovery: false })
    t.strictSame(told, { failed: 1, recovered: 1 })
  },
  '`sendRecovery`: the channel is told of recoveries': async (t, plane) => {
    const told = await notifications(plane, { sendFailure: false, sendRecovery: true })
    t.strictSame(told, { failed: 0, recovered: 1 })
  },
  'a check whose `muted` is true sends no notifications on failure or recovery': async (t, plane) => {
    const both = { sendFailure: true, sendRecovery: true }
    t.strictSame(await notifications(plane, both), { failed: 1, recovered: 2 })
    t.strictSame(await notifications(plane, both, { muted: true }), { failed: 0, recovered: 0 })
  },
  'a check with `triggerIncident` creates and resolves an incident': async (t, plane) => {
    const service = await plane.call('POST', '/v1/status-pages/services', { body: { name: 'shop' } })
    const name = `Down ${plane.app.newId()}`
    const checkId = await failing(plane, { triggerIncident: { serviceId: service.body.id, name } })
    const incident = async () =>
      (await plane.call('GET', '/v1/status-pages/incidents?limit=100')).body.entries.find(
        (each: { name: string }) => each.name === name,
      )
    t.match(await incident(), { lastUpdateStatus: 'INVESTIGATING', services: [{ id: service.body.id }] })
    await recover(plane, checkId)
    t.match(await incident(), { lastUpdateStatus: 'RESOLVED' })
    await plane.call('DELETE', `/v1/checks/${checkId}`)
  },
})
