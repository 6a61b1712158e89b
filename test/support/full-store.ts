/**
 * An account in which everything happened once: one of each resource, runs of every check type with their attempts, runs
 * that nobody came for, alerts, mails, a session. What old stores are read for (test/contract/old-stores.test.ts).
 */

import { announcementTick } from '../../control-plane/communication/announcements/announcement-tick.ts'
import { maintenanceNoticesTick } from '../../control-plane/communication/maintenance-windows/notices-tick.ts'
import { observationOf } from '../../control-plane/insight/prometheus/run-observations.ts'
import { runList } from '../../control-plane/insight/prometheus/share-runs-tick.ts'
import { insertRuns, upsertFollow } from '../../control-plane/insight/prometheus/sharing-queries.ts'
import { analysisTick } from '../../control-plane/insight/root-cause-analyses/analysis-tick.ts'
import { checkKinds } from '../../control-plane/monitoring/definitions/checks/types/index.ts'
import { sampleLocationsTick } from '../../control-plane/monitoring/locations/sample.ts'
import { forgiveTick } from '../../control-plane/monitoring/runs/forgive.ts'
import { aliveTick } from '../../control-plane/monitoring/runs/recover.ts'
import { sweepTick } from '../../control-plane/monitoring/runs/sweep.ts'
import { scheduleTick } from '../../control-plane/monitoring/schedule/schedule.ts'
import { alertStatesTick } from '../../control-plane/monitoring/watches/alert-states/alert-states-tick.ts'
import { heartbeatTick } from '../../control-plane/monitoring/watches/heartbeats/heartbeat-tick.ts'
import { locationProblemsTick } from '../../control-plane/monitoring/watches/location-problems/location-problems-tick.ts'
import { plantCanary } from '../../control-plane/platform/services/secrets/key-canary.ts'
import { controlPlaneVersion } from '../../control-plane/platform/settings/config.ts'
import { type CheckType, checkTypes } from '../../protocol/check-type.ts'
import type { Job } from '../../protocol/job.ts'
import { runtimeIds } from '../../protocol/runtime.ts'
import { dispatch } from './alerting.ts'
import type { TestApp } from './app.ts'
import { claimRequest, passingReport } from './engine-room.ts'
import { everySignIn } from './every-sign-in.ts'
import { finishedRun } from './exporter.ts'
import { addKeysOfFiles } from './keys-of-files.ts'
import { addOutage } from './outage-in-store.ts'
import { outcomeOfJob } from './outcome-of-job.ts'
import { addTest } from './test-in-store.ts'
import { createWorld, type World } from './world.ts'

const minuteMs = 60_000
const secret = (key: string) => ({ key, value: `secret of ${key}`, secret: true, locked: true })

export const fillStore = async (plane: TestApp): Promise<World> => {
  const world = await createWorld(plane)
  await everySignIn(plane)
  await addChannels(world)
  const groupId = await addSettings(world)
  await addChecks(world, groupId)
  await addKeysOfFiles(world)
  await subscribe(world)
  await runAll(plane, 'failing')
  await pass(plane, 1000)
  // The retries, after which people are told.
  await runAll(plane, 'failing')
  await reportErrorEvents(plane)
  await pass(plane, 5 * minuteMs)
  await runAll(plane, 'passing')
  await pass(plane, 5 * minuteMs)
  await runAll(plane, 'failing')
  // Nobody comes for the retries, nor for what is due later.
  await pass(plane, 15 * minuteMs)
  await world.complete()
  await cancelSession(world)
  await addTest(world)
  await pass(plane, minuteMs)
  // What is announced last still waits.
  await addMaintenance(world)
  await addExporterRuns(plane)
  await ticks(plane)
  await addOutage(plane)
  await plantCanary(plane.app.db, plane.app.cipher)
  await removeCheck(world)
  return world
}

/** Its results are still there. */
const removeCheck = async (world: World): Promise<void> => {
  const { id } = await made(world, '/v1/checks/url', {
    name: 'gone',
    request: { url: 'https://gone.example/' },
  })
  const answer = await world.call('DELETE', `/v1/checks/${id}`)
  if (answer.status !== 204) throw new Error(answer.text)
}

const made = async (world: World, path: string, body: object): Promise<{ id: number & string }> => {
  const answer = await world.call('POST', path, body)
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`)
  return answer.body
}

const addChannels = async (world: World): Promise<void> => {
  const wishes = { autoSubscribe: true, sendDegraded: true, sslExpiry: true }
  const channels = [
    { type: 'EMAIL', config: { address: 'ops@example.com' } },
    {
      type: 'WEBHOOK',
      config: {
        name: 'hook',
        // Nobody listens there.
        url: 'http://127.0.0.1:9/alerts',
        method: 'POST',
        headers: [{ key: 'x-token', value: 'secret of a header', locked: true }],
        template: '{"title":"{{ALERT_TITLE}}"}',
      },
    },
    { type: 'PAGERDUTY', config: { serviceKey: 'secret of a pager' }, autoSubscribe: false },
  ]
  for (const channel of channels) await made(world, '/v1/alert-channels', { ...wishes, ...channel })
}

const addSettings = async (world: World): Promise<number> => {
  const settings = { badgesEnabled: true, automaticAnalyses: true }
  const account = await world.call('PATCH', '/v1/accounts/me', { name: 'Shop', settings })
  if (account.status !== 200) throw new Error(account.text)
  await made(world, '/v1/variables', { key: 'PLAIN', value: 'seen' })
  await made(world, '/v1/variables', { key: 'LOCKED', value: 'secret of LOCKED', locked: true })
  await made(world, '/v1/variables', { key: 'SECRET', value: 'secret of SECRET', secret: true })
  await made(world, '/v1/private-locations', {
    name: 'Behind a proxy',
    slugName: 'proxied',
    proxyUrl: 'http://user:password@proxy.example:3128',
  })
  const group = await made(world, '/v1/check-groups', {
    name: 'shop',
    tags: ['shop'],
    environmentVariables: [secret('GROUP_SECRET'), { key: 'GROUP_PLAIN', value: 'seen' }],
    apiCheckDefaults: {
      url: 'https://shop.example',
      headers: [{ key: 'x-shop', value: 'secret of a shop', locked: true }],
      basicAuth: { username: 'shop', password: 'secret of the shop' },
    },
    localSetupScript: '// before',
    groupHealth: { failingWhen: 'PERCENTAGE', percentage: 40 },
  })
  await made(world, '/v1/checks/icmp', {
    name: 'Behind the shop',
    activated: false,
    request: { hostname: 'shop.example' },
    dependsOn: [{ groupId: group.id }],
  })
  return group.id
}

const scripted = { environmentVariables: [secret('CHECK_SECRET')] }
const more: Partial<Record<CheckType, object>> = { API: scripted, BROWSER: scripted, MULTI_STEP: scripted }

const addChecks = async (world: World, groupId: number): Promise<void> => {
  const dashboard = await made(world, '/v1/dashboards', { header: 'Shop', tags: ['shop'], isPrivate: true })
  await made(world, '/v1/incidents', {
    ...{ name: 'Slow', dashboardId: dashboard.id },
    incidentUpdates: [{ status: 'MONITORING', description: 'It is back.' }],
  })
  const service = await made(world, '/v1/status-pages/services', { name: 'Shop' })
  const page = await made(world, '/v1/status-pages', {
    name: 'Shop',
    url: 'shop',
    isPrivate: true,
    cards: [{ name: 'Shop', services: [{ id: service.id }] }],
  })
  const publication = { frameAncestors: ['https://shop.example'], password: 'secret of the page' }
  const published = await world.call('PUT', `/v1/status-pages/${page.id}/publication`, publication)
  if (published.status !== 200) throw new Error(published.text)
  const settings = {
    locations: [],
    privateLocations: ['local'],
    frequency: 5,
    retryStrategy: { type: 'FIXED', baseBackoffSeconds: 0, maxRetries: 1, sameRegion: true },
    sslCheckDomain: 'shop.example',
    triggerIncident: { serviceId: service.id, name: 'The shop is down', severity: 'MAJOR' },
  }
  // No agent is there.
  const far = { name: 'far', request: { url: 'https://far.example/' }, privateLocations: ['proxied'] }
  await made(world, '/v1/checks/url', { ...far, frequency: 5 })
  for (const kind of Object.values(checkKinds)) {
    const known = Object.fromEntries(Object.entries(settings).filter(([name]) => name in kind.fields))
    const group = kind.type === 'API' ? { groupId } : {}
    await made(world, `/v1/checks/${kind.path}`, {
      ...kind.example,
      ...known,
      ...more[kind.type],
      ...group,
      name: kind.title,
      tags: ['shop', kind.type],
    })
  }
}

/** What an agent of the location would say of each of its due jobs. */
const runAll = async (plane: TestApp, end: 'passing' | 'failing'): Promise<void> => {
  const agent = claimRequest({ checkTypes: [...checkTypes], runtimeIds: [...runtimeIds], maxMain: 100 })
  const jobs: Job[] = (await post(plane, 'claim', agent)).jobs
  const now = plane.app.clock.now()
  const log = [{ time: now, level: 'INFO' as const, msg: 'a line' }]
  const reports = jobs.map((job) => ({ ...passingReport(job, now), outcome: outcomeOfJob(job, end), log }))
  if (reports.length > 0) await post(plane, 'report', { agentId: agent.agentId, reports })
}

const post = async (plane: TestApp, verb: string, body: object) => {
  const answer = await plane.call('POST', `/agent/v1/${verb}`, { key: plane.agentKey, body })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body
}

const reportErrorEvents = async (plane: TestApp): Promise<void> => {
  const common = { agentVersion: '1.0.0', platform: 'linux-x64', runtime: 'node' }
  const event = { message: 'The spool is full', stack: 'Error', at: plane.app.clock.now(), ...common }
  await post(plane, 'error-events', { agentId: 'agent-1', events: [event] })
}

const stepMs = 10_000

/** Time goes by while the control plane works. */
const pass = async (plane: TestApp, ms: number): Promise<void> => {
  for (let left = ms; left > 0; left -= stepMs) {
    plane.advance(Math.min(left, stepMs))
    await ticks(plane)
  }
}

/** Everything that happens by itself and needs nobody outside. */
const ticks = async ({ app }: TestApp): Promise<void> => {
  await aliveTick(app)
  await forgiveTick(app)
  await scheduleTick(app)
  await sweepTick(app)
  await heartbeatTick(app)
  await alertStatesTick(app)
  await analysisTick(app)
  await sampleLocationsTick(app)
  await locationProblemsTick(controlPlaneVersion)(app)
  await maintenanceNoticesTick(app)
  await announcementTick(app)
  await dispatch(app)
}

const cancelSession = async (world: World): Promise<void> => {
  const [check] = (await world.call('GET', '/v1/checks?checkType=TCP')).body
  const { sessions } = (
    await world.call('POST', '/v1/check-sessions/trigger', {
      target: { checkId: check.id },
    })
  ).body
  const answer = await world.call('POST', `/v1/check-sessions/${sessions[0].checkSessionId}/cancel`, {})
  if (answer.status !== 204) throw new Error(answer.text)
}

/** Somebody who is told by mail of what happens on the page. */
const subscribe = async (world: World): Promise<void> => {
  const [page] = (await world.call('GET', '/v1/status-pages')).body.entries
  const subscriptions = [{ type: 'EMAIL', config: { address: 'reader@example.com' } }]
  await made(world, `/v1/status-pages/${page.id}/subscriptions/bulk`, { subscriptions, autoVerify: true })
  const subscribedComponents = [page.cards[0].services[0].id]
  await made(world, `/v3/status-pages/${page.id}/subscribers/bulk`, {
    subscriptions: [{ type: 'EMAIL', config: { address: 'some@example.com', subscribedComponents } }],
    autoVerify: true,
  })
}

/** A window whose subscribers hear of it, with an occurrence that was moved by hand. */
const addMaintenance = async (world: World): Promise<void> => {
  const [page] = (await world.call('GET', '/v1/status-pages')).body.entries
  const now = world.plane.app.clock.now()
  const at = (ms: number) => new Date(now + ms).toISOString()
  const window = await made(world, '/v1/maintenance-windows', {
    name: 'Every day',
    startsAt: at(60 * minuteMs),
    endsAt: at(120 * minuteMs),
    repeatUnit: 'DAY',
    timezone: 'Europe/Berlin',
    silenceAlertsTags: ['nothing'],
    statusPageVisibility: {
      enabled: true,
      severity: 'MINOR',
      affectAllServices: true,
      statusPageIds: [page.id],
      reminderMinutesBefore: [60],
    },
  })
  const all = `/v1/maintenance-windows/${window.id}/maintenances`
  const [next] = (await world.call('GET', all)).body
  const moved = await world.call('PATCH', `${all}/${next.id}`, { endsAt: at(180 * minuteMs) })
  if (moved.status !== 200) throw new Error(moved.text)
}

/** As control planes over one server write them: an embedded store has only one. */
const addExporterRuns = async (plane: TestApp): Promise<void> => {
  const { app, accountId } = plane
  const now = app.clock.now()
  const doc = runList.write([observationOf(finishedRun(plane, { checkId: app.newId() }))])
  await app.db.run(insertRuns, { id: app.newId(), planeId: app.newId(), now, doc })
  await app.db.run(upsertFollow, { accountId, planeId: app.newId(), until: now })
}
