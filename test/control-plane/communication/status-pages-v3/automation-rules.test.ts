// Runs on both engines: checks that fail and recover at once come to one incident, and leave it, under its lock.
import { changeIncidents } from '../../../../control-plane/alerting/engine/change-incidents.ts'
import { announcementTick } from '../../../../control-plane/communication/announcements/announcement-tick.ts'
import { rulesFor } from '../../../../control-plane/communication/incidents/open-by-rules.ts'
import { settleMs } from '../../../../control-plane/communication/status-page-subscriptions/announce.ts'
import { heartbeatTick } from '../../../../control-plane/monitoring/watches/heartbeats/heartbeat-tick.ts'
import { mailTick } from '../../../../control-plane/platform/services/mail/mail-tick.ts'
import { alertEvent } from '../../../support/alerting.ts'
import { eachEngine, type TestApp } from '../../../support/app.ts'
import { withMailbox } from '../../../support/mailbox.ts'
import { subscribeVerified } from '../../../support/status-page.ts'

const missing = '00000000-0000-4000-8000-000000000000'
const texts = { name: 'Shop down', firstUpdate: 'We look into it.', lastUpdate: 'It works again.' }

const makePage = async ({ call }: TestApp, url = 'acme') => {
  const { body } = await call('POST', '/v3/status-pages', { body: { name: url, url } })
  const path = `/v3/status-pages/${body.id}`
  const component = await call('POST', `${path}/components`, { body: { name: 'API' } })
  return {
    ...{ path, pageId: body.id as string, componentId: component.body.id as string },
    rules: `${path}/automation-rules`,
  }
}

const tokens = ['0b0a1c52-6d65-4a5c-8f0c-1d2e3f405162', '0b0a1c52-6d65-4a5c-8f0c-1d2e3f405163']

/** Pinged once: without retries each fails as soon as its time is over. */
const addHeartbeat = async (plane: TestApp, token = tokens[0], more: object = {}): Promise<string> => {
  const heartbeat = { period: 60, periodUnit: 'seconds', grace: 0, graceUnit: 'seconds', pingToken: token }
  const body = { name: 'Backup', script: '', heartbeat, tags: ['shop'], ...more }
  const { status, text, body: made } = await plane.call('POST', '/v1/checks/heartbeat', { body })
  if (status !== 201) throw new Error(text)
  await ping(plane, token)
  return made.id
}

const ping = (plane: TestApp, token = tokens[0]) => plane.call('GET', `/ping/${token}`, { key: null })

const stayAway = async (plane: TestApp): Promise<void> => {
  plane.advance(60_001)
  await heartbeatTick(plane.app)
}

const incidentsOf = async (plane: TestApp, path: string) =>
  (await plane.call('GET', `${path}/incidents`)).body.entries

eachEngine('a rule is made, listed, read, replaced and deleted', async (t, plane) => {
  const { call } = plane
  const { rules, componentId } = await makePage(plane)
  const body = {
    ...{ ...texts, tags: ['shop'], enabled: false, notifySubscribers: false, coolDownWindowMinutes: 0 },
    components: [{ componentId, targetImpact: 'PARTIAL_OUTAGE' }],
  }
  const made = await call('POST', rules, { body })
  t.equal(made.status, 201, made.text)
  t.match(made.body, { ...body, updated_at: null })
  const one = `${rules}/${made.body.id}`
  t.strictSame((await call('GET', one)).body, made.body)
  t.strictSame((await call('PUT', one, { body: made.body })).body.components, body.components, 'sent back')

  plane.advance(1000)
  const replaced = await call('PUT', one, { body: { ...texts, tags: ['web'] } })
  t.match(replaced.body, {
    ...{ tags: ['web'], enabled: true, notifySubscribers: true, coolDownWindowMinutes: 5 },
    updated_at: String,
  })
  t.strictSame(replaced.body.components, [], 'what is left out has its default again')

  const second = await call('POST', rules, { body: { ...body, name: 'Other' } })
  const first = await call('GET', `${rules}?limit=1`)
  t.match(first.body, { length: 1, entries: [{ id: second.body.id }], nextId: String })
  const next = await call('GET', `${rules}?limit=1&nextId=${first.body.nextId}`)
  t.match(next.body, { length: 1, entries: [{ id: made.body.id }], nextId: null })

  t.equal((await call('DELETE', one)).status, 204)
  t.equal((await call('GET', one)).status, 404)
  t.equal((await call('DELETE', one)).status, 404)
})

eachEngine('a rule names every mistake, and belongs to its page and account', async (t, plane) => {
  const { call, addKey } = plane
  const { rules, path, componentId } = await makePage(plane)
  const other = await makePage(plane, 'other')
  const group = await call('POST', `${path}/components`, { body: { name: 'All', type: 'GROUP' } })
  const wrong = [
    [{ ...texts, tags: [] }, /tags/],
    [{ ...texts, tags: ['a'], coolDownWindowMinutes: 1441 }, /coolDownWindowMinutes/],
    [{ name: 'x', tags: ['a'] }, /firstUpdate.*lastUpdate|lastUpdate.*firstUpdate/s],
    ...[group.body.id, other.componentId, missing].map((id) => [
      { ...texts, tags: ['a'], components: [{ componentId: id, targetImpact: 'MAJOR_OUTAGE' }] },
      /components.0.componentId.*no SERVICE/,
    ]),
  ] as [object, RegExp][]
  for (const [body, message] of wrong) {
    const { status, text } = await call('POST', rules, { body })
    t.equal(status, 400, text)
    t.match(text, message)
  }
  const twice = [componentId, componentId].map((id) => ({ componentId: id, targetImpact: 'MAJOR_OUTAGE' }))
  t.match(
    (await call('POST', rules, { body: { ...texts, tags: ['a'], components: twice } })).text,
    /named twice/,
  )
  t.equal((await call('POST', `/v3/status-pages/${missing}/automation-rules`, { body: {} })).status, 400)
  const gone = `/v3/status-pages/${missing}/automation-rules`
  t.equal((await call('POST', gone, { body: { ...texts, tags: ['a'] } })).status, 404)
  t.equal((await call('GET', gone)).status, 404)
  const { body } = await call('POST', rules, { body: { ...texts, tags: ['a'] } })
  t.equal((await call('GET', `${other.rules}/${body.id}`)).status, 404, 'by another page')
  t.equal((await call('DELETE', `${other.rules}/${body.id}`)).status, 404)
  const { apiKey: key } = await addKey()
  t.equal((await call('GET', `${rules}/${body.id}`, { key })).status, 404, 'by another account')
})

eachEngine(
  'a check with the tag opens an incident on the page, and its recovery resolves it',
  async (t, plane) => {
    const box = await withMailbox(t, plane)
    const { rules, path, pageId, componentId } = await makePage(plane)
    const other = await makePage(plane, 'other')
    await subscribeVerified(plane, pageId, ['ada@example.com'])
    const components = [{ componentId, targetImpact: 'PARTIAL_OUTAGE' }]
    const { body: rule } = await plane.call('POST', rules, {
      body: { ...texts, tags: ['x', 'shop'], components },
    })
    await plane.call('POST', rules, { body: { ...texts, name: 'Off', tags: ['shop'], enabled: false } })
    await plane.call('POST', rules, { body: { ...texts, name: 'Unlike', tags: ['web'] } })
    await addHeartbeat(plane)
    await stayAway(plane)
    t.match(await incidentsOf(plane, path), [
      {
        ...{ name: 'Shop down', status: 'INVESTIGATING', impact: 'PARTIAL_OUTAGE' },
        componentImpacts: [{ componentId, impact: 'PARTIAL_OUTAGE', endedAt: null }],
        incidentUpdates: [{ description: 'We look into it.' }],
      },
    ])
    t.equal((await incidentsOf(plane, path)).length, 1)
    t.strictSame(await incidentsOf(plane, other.path), [])
    await stayAway(plane)
    t.equal((await incidentsOf(plane, path)).length, 1, 'it goes on failing: nothing new')
    await plane.call('PUT', `${rules}/${rule.id}`, { body: { ...rule, lastUpdate: 'All is well.' } })
    await ping(plane)
    t.match(await incidentsOf(plane, path), [
      { status: 'RESOLVED', incidentUpdates: [{ description: 'All is well.' }, {}] },
    ])
    plane.advance(settleMs)
    await announcementTick(plane.app)
    await mailTick(plane.app)
    t.match(box.mails, [{ subject: '[acme] Resolved: Shop down' }])

    await stayAway(plane)
    t.equal((await incidentsOf(plane, path)).length, 1, 'within the time after it none is opened')
    plane.advance(4 * 60_000)
    await stayAway(plane)
    const [again, ...earlier] = await incidentsOf(plane, path)
    t.match(
      [again, earlier.length],
      [{ status: 'INVESTIGATING' }, 1],
      'a check that is still failing opens the next',
    )

    t.equal((await plane.call('DELETE', `${rules}/${rule.id}`)).status, 204)
    t.match(await incidentsOf(plane, path), [{ status: 'INVESTIGATING' }, {}], 'it stays')
    await ping(plane)
    t.match(await incidentsOf(plane, path), [{ status: 'RESOLVED' }, {}])
  },
)

eachEngine(
  'one incident of a rule holds all its checks, by their own tags or those of their group',
  async (t, plane) => {
    const { rules, path } = await makePage(plane)
    await plane.call('POST', rules, { body: { ...texts, tags: ['shop'], coolDownWindowMinutes: 0 } })
    const group = await plane.call('POST', '/v1/check-groups', {
      body: { name: 'Shop', tags: ['shop'], locations: [] },
    })
    const first = await addHeartbeat(plane)
    await addHeartbeat(plane, tokens[1], { tags: [], groupId: group.body.id })
    await stayAway(plane)
    t.match(await incidentsOf(plane, path), [{ status: 'INVESTIGATING', componentImpacts: [] }])
    t.equal((await incidentsOf(plane, path)).length, 1)
    await ping(plane, tokens[1])
    t.match(await incidentsOf(plane, path), [{ status: 'INVESTIGATING' }], 'the other one is failing')
    t.equal((await plane.call('DELETE', `/v1/checks/${first}`)).status, 204)
    t.match(await incidentsOf(plane, path), [
      { status: 'RESOLVED', incidentUpdates: [{ description: /switched off/ }, {}] },
    ])
  },
)

eachEngine('checks that fail and recover at once have one incident, which ends', async (t, plane) => {
  const { rules, path } = await makePage(plane)
  await plane.call('POST', rules, { body: { ...texts, tags: ['shop'], coolDownWindowMinutes: 0 } })
  const { app, accountId } = plane
  const raise = (checkId: string, alertType: 'ALERT_FAILURE' | 'ALERT_RECOVERY') =>
    app.db.transaction(async (trx) => {
      const at = app.clock.now()
      const rules = await rulesFor(trx, [accountId])
      const event = { ...alertEvent({ accountId, checkId, alertType, at }), tags: ['shop'] }
      return changeIncidents(trx, [{ event, trigger: null, at }], { rules, now: at, newId: app.newId })
    })
  const checks = ['a', 'b', 'c', 'd']
  await Promise.all(checks.map((id) => raise(id, 'ALERT_FAILURE')))
  t.match(await incidentsOf(plane, path), [{ status: 'INVESTIGATING' }])
  t.equal((await incidentsOf(plane, path)).length, 1)
  plane.advance(1000)
  await Promise.all(checks.map((id) => raise(id, 'ALERT_RECOVERY')))
  t.match(await incidentsOf(plane, path), [{ status: 'RESOLVED', incidentUpdates: [{}, {}] }])
  t.equal((await incidentsOf(plane, path))[0].incidentUpdates.length, 2)
})

eachEngine(
  'maintenance that covers its components keeps it back; what left the page is left out',
  async (t, plane) => {
    const { call } = plane
    const { rules, path, pageId, componentId } = await makePage(plane)
    const second = await call('POST', `${path}/components`, { body: { name: 'Web' } })
    const components = [componentId, second.body.id].map((id) => ({
      componentId: id,
      targetImpact: 'MAJOR_OUTAGE',
    }))
    const { body: rule } = await call('POST', rules, { body: { ...texts, tags: ['shop'], components } })
    await call('DELETE', `${path}/components/${second.body.id}`)
    const shown = await call('GET', `${rules}/${rule.id}`)
    t.strictSame(shown.body.components, [components[0]])
    t.equal((await call('PUT', `${rules}/${rule.id}`, { body: shown.body })).status, 200)
    const at = (ms: number) => new Date(plane.app.clock.now() + ms).toISOString()
    const visibility = {
      enabled: true,
      suppressAutoIncidents: true,
      affectAllServices: true,
      statusPageIds: [pageId],
    }
    const window = { name: 'Works', startsAt: at(0), endsAt: at(3_600_000), repeatUnit: null }
    await call('POST', '/v1/maintenance-windows', { body: { ...window, statusPageVisibility: visibility } })
    await addHeartbeat(plane)
    await stayAway(plane)
    t.strictSame(await incidentsOf(plane, path), [])
    plane.advance(3_600_000)
    await heartbeatTick(plane.app)
    t.match(
      await incidentsOf(plane, path),
      [{ componentImpacts: [{ componentId }] }],
      'after the maintenance',
    )
    await call('DELETE', path)
    t.equal((await call('GET', `${rules}/${rule.id}`)).status, 404, 'a page goes with its rules')
  },
)
