/** How the world comes by things that no `POST` with an example makes, by the place where their id stands in a path. */

import { alertToken } from '../../control-plane/alerting/messages/alert-link.ts'
import { linkOfEvent } from '../../control-plane/alerting/messages/result-link.ts'
import { findSubscriptionById } from '../../control-plane/communication/status-page-subscriptions/queries.ts'
import { subscriptionLink } from '../../control-plane/communication/status-page-subscriptions/subscription-link.ts'
import { fileLink, fileLinkMs } from '../../control-plane/insight/result-pages/file-token.ts'
import { icon } from '../../control-plane/platform/web/html/assets.ts'
import { agentPaths } from '../../protocol/agent-api.ts'
import { alertEvent, dispatch, queueEvent } from './alerting.ts'
import type { Answer } from './app.ts'
import { announced, uploadArtifact } from './artifacts.ts'
import { bundleOf, newSuite, sha256Of, uploadBundle } from './bundles.ts'
import { claimRequest } from './engine-room.ts'
import { addPerson } from './members.ts'
import { dashboardOf } from './page-bodies.ts'
import { projectMakers } from './project-makers.ts'
import { work } from './work.ts'
import type { World } from './world.ts'
import { bodies, trigger } from './world-bodies.ts'
import { makersOfTests } from './world-makers-of-tests.ts'

export type Call = (method: string, path: string, body?: unknown) => Promise<Answer>
type Maker = (world: World, address: string) => Promise<string>

const created = async (
  answer: Promise<Answer>,
  pick = (body: Answer['body']) => body.id,
): Promise<string> => {
  const { status, text, body } = await answer
  if (status >= 300) throw new Error(`${status} ${text}`)
  const id = pick(body)
  if (id === undefined) throw new Error(`There is no id in ${text}`)
  return String(id)
}

const artifactName = 'first-attempt.pcap'
const artifactBytes = Buffer.from('what was on the wire')

/** A URL monitor that has failed once: it has a result, an error group, and a status. */
const failedCheck =
  (frequency: number): Maker =>
  async (world) => {
    const request = { url: 'http://127.0.0.1/', assertions: [] }
    const id = await created(
      world.call('POST', '/v1/checks/url', {
        name: 'site',
        request,
        privateLocations: ['local'],
        frequency,
        doubleCheck: false,
      }),
    )
    await work(world.plane, 'failing', { artifacts: [announced(artifactName, artifactBytes)] })
    return id
  }

const same =
  (place: string): Maker =>
  (world) =>
    world.id(place)

const firstOf =
  (pick: (body: Answer['body']) => string | undefined): Maker =>
  (world, address) =>
    created(world.call('GET', address), pick)

/** A check of the type that the collection is about. */
const heartbeat = same('/v1/checks/heartbeat')

export const makers: Record<string, Maker> = {
  // Projects of files are there as soon as somebody names one.
  '/v1/code': async () => 'shop',
  '/v1/checks': failedCheck(60),
  '/v1/checks/heartbeats': heartbeat,
  '/v1/checks/heartbeats/*/events': async (world, address) => {
    await world.plane.call('GET', `/ping/${await world.id('/ping')}`, { key: null })
    return created(world.call('GET', address), ([{ events }]) => events[0]?.id)
  },
  '/ping': async (world) => {
    const check = await world.call('GET', `/v1/checks/${await world.id('/v1/checks/heartbeat')}`)
    return check.body.heartbeat.pingToken
  },
  '/v1/public/status-pages': async (world) => {
    const page = await world.call('GET', `/v1/status-pages/${await world.id('/v1/status-pages')}`)
    return page.body.url
  },
  '/status': same('/v1/public/status-pages'),
  '/status/*/incidents': same('/v1/status-pages/incidents'),
  '/status/*/maintenance': async (world) => {
    const windowId = await world.id('/v1/maintenance-windows')
    const page = await world.call('GET', `/v1/status-pages/${await world.id('/v1/status-pages')}`)
    const [service] = page.body.cards.flatMap((card: { services: object[] }) => card.services)
    await world.call('PUT', `/v1/maintenance-windows/${windowId}`, {
      statusPageVisibility: { enabled: true, statusPageIds: [page.body.id], serviceIds: [service.id] },
    })
    const now = world.plane.app.clock.now()
    const times = { startsAt: new Date(now).toISOString(), endsAt: new Date(now + 3_600_000).toISOString() }
    await world.call('PUT', `/v1/maintenance-windows/${windowId}`, times)
    world.plane.advance(2000)
    return created(
      world.call('GET', `/v1/maintenance-windows/${windowId}/maintenances`),
      ([maintenance]) => maintenance?.id,
    )
  },
  '/subscriptions': async (world) => {
    const all = `/v1/status-pages/${await world.id('/v1/status-pages')}/subscriptions`
    const address = `reader-${world.plane.app.newId()}@example.com`
    await world.call('POST', `${all}/bulk`, { subscriptions: [{ type: 'EMAIL', config: { address } }] })
    const { body } = await world.call('GET', all)
    return body.at(-1).id
  },
  '/subscriptions/*': async (world, address) => {
    const row = await world.plane.app.db.get(findSubscriptionById, { id: address.split('/')[2] ?? '' })
    const link = row ? await subscriptionLink(world.plane.app, row, 'verify') : ''
    return link.split('/').at(-2) ?? ''
  },
  '/v1/check-groups/*/checks': async (world, address) => {
    const [, groupId] = /check-groups\/(\d+)\/checks$/.exec(address) ?? []
    const request = { url: 'https://shop.example/' }
    return created(
      world.call('POST', '/v1/checks/url', { name: 'member', request, groupId: Number(groupId) }),
    )
  },
  '/v1/check-statuses': same('/v1/checks'),
  ...projectMakers(created),
  '/v1/code-bundles': (world) => created(uploadBundle(world.plane, bundleOf())),
  '/agent/v1/code-bundles': async (world) => {
    const id = await created(uploadBundle(world.plane, bundleOf({ path: 'for-agents' })))
    await newSuite(world.plane, { codeBundleId: id })
    const claim = claimRequest({ checkTypes: ['PLAYWRIGHT'] })
    await world.plane.call('POST', agentPaths.claim, { key: world.plane.agentKey, body: claim })
    return id
  },
  '/v1/check-results': same('/v1/checks'),
  '/v1/exports/check-results': same('/v1/checks'),
  '/v1/check-results/*': async (world) =>
    created(
      world.call('GET', `/v2/check-results/${await world.id('/v1/checks')}`),
      ({ entries }) => entries[0]?.id,
    ),
  '/v1/check-results/*/*/assets': async (world) => {
    const resultId = await world.id('/v1/check-results/*')
    await uploadArtifact(world.plane, { resultId, name: artifactName, bytes: artifactBytes })
    return artifactName
  },
  '/results': async (world) => {
    const [checkId, checkResultId] = [await world.id('/v1/checks'), await world.id('/v1/check-results/*')]
    const { app } = world.plane
    return linkOfEvent(app, { checkId, checkResultId, at: app.clock.now() }).split('/').at(-1) ?? ''
  },
  '/alerts': async (world) => {
    const { app } = world.plane
    const alerts = await world.call('GET', `/v1/check-alerts/${await world.id('/v1/check-alerts')}`)
    const expiresAt = app.clock.now() + 86_400_000
    return alertToken(app, { alertId: alerts.body[0]?.id, channelId: 0, expiresAt })
  },
  '/results/*/files': async () => '0',
  '/result-files': async (world) => {
    const { app } = world.plane
    const resultId = await world.id('/v1/check-results/*')
    const expiresAt = app.clock.now() + fileLinkMs
    return fileLink(app, { resultId, position: 0, expiresAt }).split('/').at(-1) ?? ''
  },
  '/results/*/traces': async () => '0',
  '/docs': async () => 'checks',
  '/docs/schemas': async () => 'CheckAlert',
  '/assets': async () => icon.path.split('/').at(-1) ?? '',
  '/trace-viewer': async () => 'index.html',
  '/trace-viewer/assets': async () => 'codeMirrorModule-a5XoALAZ.js',
  '/agent/v1/results': same('/v1/check-results/*'),
  '/agent/v1/results/*/artifacts': async () => artifactName,
  '/v1/alert-notifications': async (world) => {
    const { app, accountId } = world.plane
    await queueEvent(app, alertEvent({ accountId }), [Number(await world.id('/v1/alert-channels'))])
    await dispatch(app)
    return created(world.call('GET', '/v1/alert-notifications'), (notifications) => notifications[0]?.id)
  },
  // Once a day: its alert is still open when it is answered.
  '/v1/check-alerts': failedCheck(1440),
  '/v1/badges/checks': same('/v1/checks'),
  '/v1/badges/groups': same('/v1/check-groups'),
  '/v1/analytics/url-monitors': same('/v1/checks'),
  '/v1/analytics/api-checks': same('/v1/checks/api'),
  '/v1/analytics/browser-checks': same('/v1/checks/browser'),
  '/v1/analytics/multistep-checks': same('/v1/checks/multistep'),
  '/v1/analytics/playwright-checks': same('/v1/checks/playwright'),
  '/v1/analytics/tcp-checks': same('/v1/checks/tcp'),
  '/v1/analytics/dns': same('/v1/checks/dns'),
  '/v1/analytics/icmp': same('/v1/checks/icmp'),
  '/v1/analytics/ssl': same('/v1/checks'),
  '/v1/analytics/grpc': same('/v1/checks/grpc'),
  '/v1/analytics/traceroute': same('/v1/checks/traceroute'),
  '/v1/analytics/heartbeat-checks': heartbeat,
  '/v1/error-groups/checks': same('/v1/checks'),
  '/v1/error-groups': async (world) =>
    created(
      world.call('GET', `/v1/error-groups/checks/${await world.id('/v1/checks')}`),
      (groups) => groups[0]?.id,
    ),
  '/v1/root-cause-analyses/error-groups': same('/v1/error-groups'),
  '/v1/root-cause-analyses': async (world) =>
    created(
      world.call('POST', `/v1/root-cause-analyses/error-groups/${await world.id('/v1/error-groups')}`, {}),
    ),
  ...makersOfTests,
  '/v1/check-sessions': async (world) => {
    const id = await created(
      world.call('POST', '/v2/check-sessions/trigger', await trigger(world)),
      ({ sessions }) => sessions[0]?.checkSessionId,
    )
    await work(world.plane, 'passing')
    return id
  },
  '/v1/accounts': async (world) => world.plane.accountId,
  '/accounts': async (world) => world.plane.accountId,
  '/v1/accounts/me/members': async (world) => {
    const { userId } = await addPerson(world.plane, { email: `${world.plane.app.newId()}@example.com` })
    return userId
  },
  '/v1/dashboards': async (world) => {
    return created(world.call('POST', '/v1/dashboards', { header: 'Shop' }), ({ dashboardId }) => dashboardId)
  },
  '/dashboards': async (world) => (await dashboardOf(world)).customUrl,
  '/v3/status-pages/*/subscribers': async (world, address) => {
    const subscriptions = [{ type: 'EMAIL', config: { address: 'ada@example.com' } }]
    await world.call('POST', `${address}/bulk`, { subscriptions })
    return firstOf(({ entries }) => entries[0]?.id)(world, address)
  },
  '/v1/variables': async (world) => {
    const body = await bodies['POST /v1/variables']?.(world)
    return created(world.call('POST', '/v1/variables', body), ({ key }) => key)
  },
  '/v1/runtimes': async () => '2026.04',
  '/v1/status-pages/*/subscriptions': async (world, address) => {
    const subscriptions = [{ type: 'EMAIL', config: { address: 'ada@example.com' } }]
    await world.call('POST', `${address}/bulk`, { subscriptions, autoVerify: true })
    return firstOf(([subscription]) => subscription?.id)(world, address)
  },
  '/v1/private-locations/*/keys': async (world, address) => {
    const location = address.replace(/\/keys$/, '')
    const { keys } = (await world.call('GET', location)).body
    if (keys.length === 0) await world.call('POST', address)
    return created(world.call('GET', location), (body) => body.keys[0]?.id)
  },
  '/v1/maintenance-windows/*/maintenances': firstOf(([maintenance]) => maintenance?.id),
}

/** Bytes that routes which take a stream accept, and what the query says of them. */
export const uploads: Record<string, () => { query: Record<string, string>; bytes: Buffer }> = {
  'POST /v1/code-bundles': () => {
    const bytes = bundleOf({ path: 'another' })
    return { query: { sha256: sha256Of(bytes) }, bytes }
  },
  'POST /v1/checkly-storage/upload-code-bundle': () => ({
    query: {},
    bytes: bundleOf({ path: 'one-more' }),
  }),
  'POST /v1/checkly-storage/upload': () => ({ query: {}, bytes: Buffer.from('a picture') }),
}
