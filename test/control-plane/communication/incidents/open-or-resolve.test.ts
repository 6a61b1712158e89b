// Runs on both engines in test:all: rows that are there already are changed instead.
import { changeIncidents } from '../../../../control-plane/alerting/engine/change-incidents.ts'
import { announcementTick } from '../../../../control-plane/communication/announcements/announcement-tick.ts'
import { settleMs } from '../../../../control-plane/communication/status-page-subscriptions/announce.ts'
import { heartbeatTick } from '../../../../control-plane/monitoring/watches/heartbeats/heartbeat-tick.ts'
import { mailTick } from '../../../../control-plane/platform/services/mail/mail-tick.ts'
import { alertEvent } from '../../../support/alerting.ts'
import { eachEngine, type TestApp } from '../../../support/app.ts'
import { withMailbox } from '../../../support/mailbox.ts'
import { makePage, subscribeVerified } from '../../../support/status-page.ts'

const triggerFor = (serviceId: string, more: object = {}) => ({
  serviceId,
  name: 'The shop is down',
  description: 'We are looking into it.',
  severity: 'CRITICAL' as const,
  notifySubscribers: true,
  ...more,
})

const token = '0b0a1c52-6d65-4a5c-8f0c-1d2e3f405162'

/** A heartbeat check that was pinged once; without retries it fails as soon as its grace is over. */
const addHeartbeat = async (plane: TestApp, more: object): Promise<string> => {
  const { status, text, body } = await plane.call('POST', '/v1/checks/heartbeat', {
    body: {
      name: 'Backup',
      script: '',
      heartbeat: { period: 60, periodUnit: 'seconds', grace: 0, graceUnit: 'seconds', pingToken: token },
      ...more,
    },
  })
  if (status !== 201) throw new Error(text)
  await ping(plane)
  return body.id
}

const ping = (plane: TestApp) => plane.call('GET', `/ping/${token}`, { key: null })

const stayAway = async (plane: TestApp): Promise<void> => {
  plane.advance(60_001)
  await heartbeatTick(plane.app)
}

type Shown = {
  id: string
  name: string
  lastUpdateStatus: string
  incidentUpdates: { description: string }[]
}

const incidentsOf = async (plane: TestApp): Promise<Shown[]> =>
  (await plane.call('GET', '/v1/status-pages/incidents')).body.entries

eachEngine('a failure that alerts opens an incident and the recovery resolves it', async (t, plane) => {
  const box = await withMailbox(t, plane)
  const { pageId, serviceId } = await makePage(plane)
  await subscribeVerified(plane, pageId, ['ada@example.com'])
  await addHeartbeat(plane, { triggerIncident: triggerFor(serviceId) })
  await stayAway(plane)
  t.match(await incidentsOf(plane), [
    {
      name: 'The shop is down',
      severity: 'CRITICAL',
      lastUpdateStatus: 'INVESTIGATING',
      services: [{ id: serviceId }],
      incidentUpdates: [{ description: 'We are looking into it.', status: 'INVESTIGATING' }],
    },
  ])
  await stayAway(plane)
  t.equal((await incidentsOf(plane)).length, 1, 'it goes on failing: nothing new')
  plane.advance(settleMs)
  await ping(plane)
  t.match(await incidentsOf(plane), [
    {
      lastUpdateStatus: 'RESOLVED',
      duration: Math.floor((60_001 + settleMs) / 1000),
      incidentUpdates: [{ status: 'RESOLVED' }, { status: 'INVESTIGATING' }],
    },
  ])
  plane.advance(settleMs)
  await announcementTick(plane.app)
  await mailTick(plane.app)
  t.match(box.mails, [{ subject: '[Acme status] Resolved: The shop is down' }])
  await stayAway(plane)
  t.strictSame(
    (await incidentsOf(plane)).map(({ lastUpdateStatus }) => lastUpdateStatus),
    ['INVESTIGATING', 'RESOLVED'],
    'the next failure opens a new one',
  )
})

eachEngine('an incident waits for the threshold of the alert', async (t, plane) => {
  const { serviceId } = await makePage(plane)
  await addHeartbeat(plane, {
    triggerIncident: triggerFor(serviceId),
    useGlobalAlertSettings: false,
    alertSettings: { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 2 } },
  })
  await stayAway(plane)
  t.equal((await incidentsOf(plane)).length, 0)
  await stayAway(plane)
  t.equal((await incidentsOf(plane)).length, 1)
})

eachEngine('null opens nothing', async (t, plane) => {
  await makePage(plane)
  await addHeartbeat(plane, { triggerIncident: null })
  await stayAway(plane)
  t.strictSame(await incidentsOf(plane), [])
})

eachEngine('a maintenance that covers the service on a page suppresses', async (t, plane) => {
  const { pageId, serviceId } = await makePage(plane)
  const at = (ms: number) => new Date(plane.app.clock.now() + ms).toISOString()
  const { status, text } = await plane.call('POST', '/v1/maintenance-windows', {
    body: {
      name: 'Works',
      startsAt: at(0),
      endsAt: at(3_600_000),
      repeatUnit: null,
      statusPageVisibility: {
        enabled: true,
        suppressAutoIncidents: true,
        affectAllServices: true,
        statusPageIds: [pageId],
      },
    },
  })
  t.equal(status, 201, text)
  await addHeartbeat(plane, { triggerIncident: triggerFor(serviceId) })
  await stayAway(plane)
  t.strictSame(await incidentsOf(plane), [])
  await ping(plane)
  plane.advance(3_600_000)
  await heartbeatTick(plane.app)
  t.equal((await incidentsOf(plane)).length, 1, 'after the maintenance')
})

eachEngine('what people did to the incident stands', async (t, plane) => {
  const { serviceId } = await makePage(plane)
  await addHeartbeat(plane, { triggerIncident: triggerFor(serviceId) })
  await stayAway(plane)
  const [{ id }] = (await incidentsOf(plane)) as [Shown]
  await plane.call('POST', `/v1/status-pages/incidents/${id}/incident-updates`, {
    body: { description: 'A false alarm.', status: 'RESOLVED' },
  })
  await stayAway(plane)
  await ping(plane)
  const [incident, ...others] = await incidentsOf(plane)
  t.strictSame(others, [])
  t.strictSame(
    incident?.incidentUpdates.map(({ description }) => description),
    ['A false alarm.', 'We are looking into it.'],
  )
  await stayAway(plane)
  await plane.call('DELETE', `/v1/status-pages/incidents/${(await incidentsOf(plane))[0]?.id}`)
  t.equal((await ping(plane)).status, 200)
  t.equal((await incidentsOf(plane)).length, 1)
})

for (const [what, stop] of [
  [
    'deactivated',
    (plane: TestApp, id: string) =>
      plane.call('PUT', `/v1/checks/heartbeat/${id}`, { body: { activated: false } }),
  ],
  ['deleted', (plane: TestApp, id: string) => plane.call('DELETE', `/v1/checks/${id}`)],
] as const)
  eachEngine(`the incident of a check that is ${what} is resolved with a note`, async (t, plane) => {
    const { serviceId } = await makePage(plane)
    const id = await addHeartbeat(plane, { triggerIncident: triggerFor(serviceId) })
    await stayAway(plane)
    const stopped = await stop(plane, id)
    t.ok(stopped.status < 300, stopped.text)
    t.match(await incidentsOf(plane), [
      { lastUpdateStatus: 'RESOLVED', incidentUpdates: [{ description: /switched off/ }, {}] },
    ])
  })

eachEngine(
  'checks that share a service have an incident each, and the same event twice opens one',
  async (t, plane) => {
    const { serviceId } = await makePage(plane)
    const { app, accountId } = plane
    const raise = (
      checkId: string,
      alertType: 'ALERT_FAILURE' | 'ALERT_RECOVERY' | 'ALERT_FAILURE_DEGRADED',
    ) =>
      app.db.transaction((trx) =>
        changeIncidents(
          trx,
          [
            {
              event: alertEvent({ accountId, checkId, alertType, at: app.clock.now() }),
              trigger: triggerFor(serviceId, { description: '' }),
              at: app.clock.now(),
            },
          ],
          { rules: [], now: app.clock.now(), newId: app.newId },
        ),
      )
    await Promise.all([raise('a', 'ALERT_FAILURE'), raise('a', 'ALERT_FAILURE'), raise('b', 'ALERT_FAILURE')])
    const open = async () =>
      (await incidentsOf(plane)).filter(({ lastUpdateStatus }) => lastUpdateStatus !== 'RESOLVED').length
    t.equal(await open(), 2)
    t.match(await incidentsOf(plane), [{ incidentUpdates: [{ description: 'The shop is down' }] }, {}])
    plane.advance(1000)
    await raise('a', 'ALERT_FAILURE_DEGRADED')
    t.equal(await open(), 2, 'a degraded check has not recovered')
    await raise('a', 'ALERT_RECOVERY')
    t.equal(await open(), 1)
    await raise('b', 'ALERT_RECOVERY')
    t.equal(await open(), 0)
  },
)
