// Runs on both engines in test:all: lists that stand in a column, which each engine takes apart in its own way.
import type { Test } from 'tap'
import { announcementTick } from '../../../../control-plane/communication/announcements/announcement-tick.ts'
import { maintenanceNoticesTick } from '../../../../control-plane/communication/maintenance-windows/notices-tick.ts'
import { settleMs } from '../../../../control-plane/communication/status-page-subscriptions/announce.ts'
import { mailTick } from '../../../../control-plane/platform/services/mail/mail-tick.ts'
import { eachEngine, type TestApp } from '../../../support/app.ts'
import { type Mailbox, withMailbox } from '../../../support/mailbox.ts'

const missing = '00000000-0000-4000-8000-000000000000'

type World = { plane: TestApp; box: Mailbox; page: string; api: string; web: string; group: string }

const made = async ({ call }: TestApp, path: string, body: object) => {
  const answer = await call('POST', path, { body })
  if (answer.status >= 300) throw new Error(answer.text)
  return answer.body
}

const subscription = (name: string, subscribedComponents?: string[]) => ({
  type: 'EMAIL',
  config: { address: `${name}@example.com`, ...(subscribedComponents && { subscribedComponents }) },
})

/** A page with API in a group and Web beside it, and somebody for each of them and for all. */
const eachPage = (name: string, body: (t: Test, world: World) => Promise<void>): void => {
  eachEngine(name, async (t, plane) => {
    const box = await withMailbox(t, plane)
    const { id } = await made(plane, '/v3/status-pages', { name: 'Acme', url: 'acme' })
    const page = `/v3/status-pages/${id}`
    const component = (more: object) => made(plane, `${page}/components`, more)
    const group = (await component({ type: 'GROUP', name: 'Backend' })).id
    const api = (await component({ name: 'API', parentId: group })).id
    const web = (await component({ name: 'Web' })).id
    await made(plane, `${page}/subscribers/bulk`, {
      subscriptions: [
        subscription('api', [api.toUpperCase(), api]),
        subscription('web', [web]),
        subscription('group', [group]),
        subscription('all', []),
        subscription('plain'),
      ],
      autoVerify: true,
    })
    await body(t, { plane, box, page, api, web, group })
  })
}

/** Who gets a mail of what has just happened. */
const told = async ({ plane, box }: World): Promise<string[]> => {
  const before = box.mails.length
  plane.advance(settleMs)
  await announcementTick(plane.app)
  await mailTick(plane.app)
  const addresses = box.mails.slice(before).map(({ to }) => to?.[0]?.address ?? '')
  return addresses.map((each) => each.replace('@example.com', '')).sort()
}

const open = ({ plane, page }: Pick<World, 'plane' | 'page'>, componentIds: string[]) =>
  made(plane, `${page}/incidents`, {
    name: 'Down',
    incidentUpdates: [{ description: 'We look.', status: 'INVESTIGATING', notifySubscribers: true }],
    componentImpacts: componentIds.map((componentId) => ({ componentId, impact: 'MAJOR_OUTAGE' })),
  })

const everybody = ['all', 'api', 'group', 'plain', 'web']

eachPage('an incident is told to those who asked for what it touches', async (t, world) => {
  const { plane, page, api, web } = world
  const { id } = await open(world, [api])
  t.strictSame(await told(world), ['all', 'api', 'group', 'plain'])
  const update = { description: 'Over.', status: 'RESOLVED', notifySubscribers: true }
  await made(plane, `${page}/incidents/${id}/incident-updates`, update)
  t.strictSame(await told(world), ['all', 'api', 'group', 'plain'], 'so are its updates')
  await open(world, [web])
  t.strictSame(await told(world), ['all', 'plain', 'web'])
  await open(world, [api, web])
  t.strictSame(await told(world), everybody)
  await open(world, [])
  t.strictSame(await told(world), everybody, 'one that touches nothing by name concerns everybody')
  await made(plane, '/v1/status-pages/incidents', {
    ...{ name: 'Older', severity: 'MAJOR', services: [{ id: web }] },
    incidentUpdates: [{ description: 'In the words of version 1.', notifySubscribers: true }],
  })
  t.strictSame(await told(world), ['all', 'plain', 'web'])
})

eachPage('an address on two pages is told by the page where it asked for it', async (t, world) => {
  const { plane, web } = world
  const second = await made(plane, '/v1/status-pages', {
    ...{ name: 'Second', url: 'second', cards: [{ name: 'All', services: [{ id: web }] }] },
  })
  await made(plane, `/v3/status-pages/${second.id}/subscribers/bulk`, {
    ...{ subscriptions: [subscription('api', [web])], autoVerify: true },
  })
  await made(plane, '/v1/status-pages/incidents', {
    ...{ name: 'Down', severity: 'MAJOR', services: [{ id: web }] },
    incidentUpdates: [{ description: 'On both pages.', notifySubscribers: true }],
  })
  t.strictSame(await told(world), ['all', 'api', 'plain', 'web'])
})

eachPage('what concerns nobody is not even written', async (t, { plane, page, api, web }) => {
  const { entries } = (await plane.call('GET', `${page}/subscribers`)).body
  for (const { id, address } of entries)
    if (!/^web@/.test(address)) await plane.call('DELETE', `${page}/subscribers/${id}`)
  const written = async (componentId: string) => {
    await open({ plane, page }, [componentId])
    plane.advance(settleMs)
    await announcementTick(plane.app)
    return (await plane.app.db.select((k) => k.selectFrom('mail_contents').select('id'))).length
  }
  t.equal(await written(api), 0)
  t.equal(await written(web), 1)
})

eachPage('so is maintenance, where it names what it touches', async (t, world) => {
  const { plane, page, web } = world
  const at = (minutes: number) => new Date(plane.app.clock.now() + minutes * 60_000).toISOString()
  const plan = (more: object) =>
    made(plane, '/v1/maintenance-windows', {
      ...{ name: 'New racks', startsAt: at(1), endsAt: at(60), repeatUnit: null },
      statusPageVisibility: {
        ...{ enabled: true, notifyOnStart: true, statusPageIds: [page.split('/').at(-1)], serviceIds: [web] },
        ...more,
      },
    })
  const begun = async () => {
    plane.advance(60_000)
    await maintenanceNoticesTick(plane.app)
    return told(world)
  }
  await plan({})
  t.strictSame(await begun(), ['all', 'plain', 'web'])
  await plan({ showAffectedServices: false })
  t.strictSame(await begun(), everybody)
  await plan({ serviceIds: [], affectAllServices: true })
  t.strictSame(await begun(), everybody)
})

eachPage('what has left the page is not shown, and chosen still', async (t, world) => {
  const { plane, page, api, web, group } = world
  const chosen = async () => {
    const { body } = await plane.call('GET', `${page}/subscribers`)
    return Object.fromEntries(
      body.entries.map(({ address, subscribedComponents }: Record<string, unknown>) => [
        String(address).replace('@example.com', ''),
        subscribedComponents,
      ]),
    )
  }
  t.strictSame(await chosen(), { api: [api], web: [web], group: [group], all: [], plain: [] })
  t.equal((await plane.call('DELETE', `${page}/components/${web}`)).status, 204)
  t.match(await chosen(), { api: [api], web: [] })
  await open(world, [api])
  t.strictSame(await told(world), ['all', 'api', 'group', 'plain'])
  await open(world, [])
  t.strictSame(await told(world), everybody)

  const subscribe = (more: object, key?: string) =>
    plane.call('POST', `${page}/subscribers/bulk`, {
      ...(key === undefined ? {} : { key }),
      body: { subscriptions: [subscription('new', [api]), more] },
    })
  for (const wrong of [missing, web]) {
    const refused = await subscribe(subscription('newer', [api, wrong]))
    t.equal(refused.status, 400, refused.text)
    t.match(refused.body.message, /"subscriptions\.1\.config\.subscribedComponents\.1" is no component/)
  }
  t.equal((await subscribe(subscription('newer', ['API']))).status, 400)
  const { apiKey } = await plane.addKey()
  t.equal((await subscribe(subscription('newer', [missing]), apiKey)).status, 404)
  t.notMatch(await chosen(), { new: [] }, 'nothing is written where something is wrong')
  const again = await made(plane, `${page}/subscribers/bulk`, { subscriptions: [subscription('api', [])] })
  t.match(again, { created: 0, skipped: 1 })
  t.match(await chosen(), { api: [api] }, 'one that is skipped stays as it is')
})
