// Runs on both engines in test:all: its statements run in no other file.
/** Whatever happens to a service, its headline, bar, uptime, incidents, badge, feeds, data and page in the dashboard say the same. */
import t, { type Test } from 'tap'
import { wordsOf } from '../../../../control-plane/communication/stored-pages/words/languages.ts'
import { states } from '../../../../control-plane/communication/stored-pages/words/words.ts'
import { sweepTick } from '../../../../control-plane/monitoring/runs/sweep.ts'
import { scheduleTick } from '../../../../control-plane/monitoring/schedule/schedule.ts'
import { findCachedPage } from '../../../../control-plane/pages/status/cached-pages.ts'
import { percentText } from '../../../../control-plane/pages/status/dates.ts'
import type { PageModel, ServiceView } from '../../../../control-plane/pages/status/model.ts'
import { stateOfSeverity } from '../../../../control-plane/pages/status/states.ts'
import { type AlertRoom, alertRoom, type Letter } from '../../../support/alert-room.ts'
import { sessionOf, visitPage } from '../../../support/dashboard.ts'
import { engineNames } from '../../../support/databases.ts'
import { byLength } from '../../../support/length.ts'
import { randomFrom } from '../../../support/random.ts'
import { seed, seedNote } from '../../../support/seed.ts'

const words = wordsOf('en')

type Engine = (typeof engineNames)[number]

const histories = {
  sqlite: byLength({ short: 2, all: 2, long: 40 }),
  postgres: byLength({ short: 1, all: 1, long: 40 }),
}

const eachRoom = (
  name: string,
  body: (t: Test, newRoom: () => Promise<AlertRoom>, engine: Engine) => Promise<void>,
): void => {
  for (const engine of engineNames)
    t.test(`${name} (${engine})`, (t) => body(t, () => alertRoom(t, engine), engine))
}

const minuteMs = 60_000

type World = {
  room: AlertRoom
  services: string[]
  checks: string[]
  /** By check. */
  linked: Map<string, string>
  letters: Map<string, Letter>
  /** Opened by hand, not yet resolved. */
  byHand: string[]
  pageId: string
  runs: number
}

const made = async ({ call }: AlertRoom, path: string, body: object) => {
  const answer = await call('POST', path, { body })
  if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`)
  return answer.body
}

const settings = {
  alertSettings: { runBasedEscalation: { failedRunThreshold: 1 }, reminders: { amount: 0, interval: 5 } },
  useGlobalAlertSettings: false,
}

const newWorld = async (room: AlertRoom): Promise<World> => {
  const services: string[] = []
  for (const name of ['Shop', 'Blog'])
    services.push((await made(room, '/v1/status-pages/services', { name })).id)
  const cards = [{ name: 'All', services: services.map((id) => ({ id })) }]
  const { id: pageId } = await made(room, '/v1/status-pages', { name: 'Acme', url: 'acme', cards })
  const checks = [
    await room.addCheck({ name: 'One', ...settings }),
    await room.addCheck({ name: 'Two', ...settings }),
  ]
  const letters = new Map<string, Letter>(checks.map((id) => [id, 'p']))
  return { room, services, checks, linked: new Map(), letters, byHand: [], pageId, runs: 0 }
}

/** A minute passes, and what is due runs. */
const minute = async (world: World): Promise<void> => {
  const { room, letters } = world
  for (let tenth = 0; tenth < 6; tenth += 1) {
    room.advance(minuteMs / 6)
    await sweepTick(room.app)
    await scheduleTick(room.app)
    for (const job of await room.claim()) {
      await room.report([job], letters.get(job.checkId) ?? 'p')
      world.runs += 1
    }
  }
}

const link = async ({ room, linked }: World, checkId: string, serviceId: string | null): Promise<void> => {
  const triggerIncident =
    serviceId === null ? null : { serviceId, name: `Failure ${serviceId}`, severity: 'MAJOR' }
  const { status, text } = await room.call('PUT', `/v1/checks/url/${checkId}`, { body: { triggerIncident } })
  if (status !== 200) throw new Error(text)
  if (serviceId === null) linked.delete(checkId)
  else linked.set(checkId, serviceId)
}

const openByHand = async ({ room, byHand }: World, serviceId: string, severity: string): Promise<void> => {
  const incident = { name: 'By hand', severity, services: [{ id: serviceId }] }
  const update = { incidentUpdates: [{ description: 'We know.' }] }
  byHand.push((await made(room, '/v1/status-pages/incidents', { ...incident, ...update })).id)
}

const resolve = async ({ room, byHand }: World): Promise<void> => {
  const id = byHand.shift()
  const update = { description: 'Over.', status: 'RESOLVED' }
  if (id !== undefined) await made(room, `/v1/status-pages/incidents/${id}/incident-updates`, update)
}

const maintain = async ({ room, pageId }: World, serviceId: string): Promise<void> => {
  const now = room.app.clock.now()
  const at = (ms: number): string => new Date(now + ms).toISOString()
  const statusPageVisibility = {
    ...{ enabled: true, suppressAutoIncidents: true, statusPageIds: [pageId], serviceIds: [serviceId] },
  }
  const times = { startsAt: at(0), endsAt: at(4 * minuteMs) }
  await made(room, '/v1/maintenance-windows', { name: 'Work', ...times, statusPageVisibility })
}

const step = async (world: World, random: () => number): Promise<string> => {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const checkId = pick(world.checks)
  const serviceId = pick(world.services)
  const acts: Record<string, () => unknown> = {
    fails: () => world.letters.set(checkId, 'f'),
    passes: () => world.letters.set(checkId, 'p'),
    links: () => link(world, checkId, serviceId),
    unlinks: () => link(world, checkId, null),
    opens: () => openByHand(world, serviceId, pick(['CRITICAL', 'MINOR'])),
    resolves: () => resolve(world),
    maintains: () => maintain(world, serviceId),
    waits: () => undefined,
    'sleeps for a day': () => world.room.advance(86_400_000),
  }
  const act = pick(Object.keys(acts))
  await acts[act]?.()
  return act
}

const open = ({ room }: World, path = '') => fetch(`${room.url}/status/acme${path}`)

const agrees = async (t: Test, world: World, what: string): Promise<void> => {
  const { room, services, linked, letters } = world
  // What was counted of today is a minute old at most.
  room.advance(minuteMs + 1)
  const { model } = (await findCachedPage(room.app, 'acme')) ?? {}
  if (model === undefined) throw new Error('There is no page')
  const say = (claim: string): string => `${what}: ${claim}`
  for (const id of services) {
    const view = model.cards.flatMap((card) => card.services).find((service) => service.id === id)
    if (view === undefined) throw new Error('There is no such service')
    const checks = [...linked].filter(([, serviceId]) => serviceId === id).map(([checkId]) => checkId)
    serviceAgrees(t, { view, model, letters: checks.map((checkId) => letters.get(checkId)) }, say)
  }
  await formsAgree(t, world, { model, say })
}

type Told = { view: ServiceView; model: PageModel; letters: (Letter | undefined)[] }

/** One comparison for all of it: each of ninety days is looked at after every step. */
const serviceAgrees = (t: Test, { view, model, letters }: Told, say: (claim: string) => string): void => {
  const broken = new Set<string>()
  const holds = (isSo: boolean, claim: string): void => {
    if (!isSo) broken.add(say(claim))
  }
  const open = model.open.filter((incident) => incident.services.some(({ id }) => id === view.id))
  const isWorkedOn = model.maintenance.some(
    ({ status, services }) => status === 'IN_PROGRESS' && services.some(({ id }) => id === view.id),
  )
  const today = view.days.at(-1)
  const measured = view.days.filter(({ state }) => state !== 'none')
  const isBad = ['degraded', 'partial', 'major'].includes(view.state)
  if (letters.includes('f') && !isWorkedOn) {
    holds(isBad, 'a service is bad while a check of it fails')
    holds(open.length > 0, 'a failing check has an incident open')
  }
  if (isBad) holds(open.length > 0 || isWorkedOn, 'what is bad has an incident open')
  for (const { severity } of open)
    holds(
      states.indexOf(view.state) >= states.indexOf(stateOfSeverity(severity)),
      'as bad as its worst incident',
    )
  if (letters.length === 0 && open.length === 0 && !isWorkedOn)
    holds(view.state === 'unknown', 'nothing looks at it')
  if (isBad) holds(today?.state === 'degraded' || today?.state === 'down', "today's bar is as bad")
  if (isBad && open.some(({ startedAt }) => startedAt !== model.at) && !isWorkedOn)
    holds((view.uptime ?? 1) < 1, 'what is open has taken something')
  holds((view.uptime === null) === (measured.length === 0), 'no uptime of what was not measured')
  if (view.uptime === 1)
    holds(
      measured.every(({ state, incidents }) => state === 'up' || incidents > 0),
      '100 % has no red bar',
    )
  for (const day of view.days) {
    holds(day.uptime >= 0 && day.uptime <= 1, 'a share')
    if (day.state === 'none') holds(day.runs + day.incidents === 0, 'no data is no data')
    holds(day.knownMs >= 0 && day.knownMs <= 86_400_000, 'no more than a day')
  }
  t.strictSame([...broken], [])
}

const formsAgree = async (
  t: Test,
  world: World,
  { model, say }: { model: PageModel; say: (claim: string) => string },
): Promise<void> => {
  const html = await (await open(world)).text()
  t.ok(html.includes(`<h1 aria-live="polite">${words.sentences[model.state]}</h1>`), say('the headline'))
  t.ok((await (await open(world, '/embed')).text()).includes(words.sentences[model.state]), say('the frame'))
  t.ok((await (await open(world, '/badge.svg')).text()).includes(words.states[model.state]), say('the badge'))
  const json = JSON.parse(await (await open(world, '/api/status.json')).text())
  t.equal(json.status.description, words.sentences[model.state], say('the data'))
  t.same(
    json.incidents.map(({ id }: { id: string }) => id),
    model.open.map(({ id }) => id),
    say('the incidents of the data'),
  )
  t.same(
    json.components.map((each: { uptime_90_days: number | null }) => each.uptime_90_days),
    model.cards.flatMap(({ services }) => services.map(({ uptime }) => uptime)),
    say('the uptime of the data'),
  )
  const feed = await (await open(world, '/feed.json')).text()
  for (const { id } of model.open) {
    t.ok(html.includes(`/incidents/${id}`), say('an open incident is on the page'))
    t.ok(feed.includes(`/incidents/${id}`), say('and in the feed'))
  }
}

const inDashboard = async (t: Test, world: World): Promise<void> => {
  const cookie = await sessionOf(world.room)
  const { model } = (await findCachedPage(world.room.app, 'acme')) ?? {}
  for (const view of model?.cards.flatMap(({ services }) => services) ?? []) {
    const { text } = await visitPage(world.room, cookie, `/app/services/${view.id}`)
    const [seen = ''] = /<section class="card" id="seen"[\s\S]*?<\/section>/.exec(text) ?? []
    t.ok(seen.includes(words.states[view.state]), 'the state in the dashboard')
    t.ok(
      seen.includes(view.uptime === null ? words.legend.none : percentText(words, view.uptime)),
      'and the uptime',
    )
  }
}

eachRoom('a page agrees with itself whatever happens', async (t, newRoom, engine) => {
  t.comment(seedNote)
  for (let history = 0; history < histories[engine]; history += 1) {
    const random = randomFrom(seed + history)
    const world = await newWorld(await newRoom())
    const told: string[] = []
    for (let n = 0; n < byLength({ short: 25, all: 40, long: 80 }); n += 1) {
      told.push(await step(world, random))
      // A run that is due within a minute, also after a day in which nobody looked.
      for (let waited = 0; waited < 2; waited += 1) await minute(world)
      await agrees(t, world, `${history}.${n} ${told.slice(-6).join(', ')}`)
    }
    await inDashboard(t, world)
    t.ok(world.runs > told.length, `it ran ${world.runs} times`)
  }
})

eachRoom('a check that fails already opens its incident when it comes to a service', async (t, newRoom) => {
  const world = await newWorld(await newRoom())
  const [checkId = ''] = world.checks
  const [serviceId = ''] = world.services
  await minute(world)
  world.letters.set(checkId, 'f')
  for (let n = 0; n < 3; n += 1) await minute(world)
  world.room.advance(2 * 86_400_000)
  for (let n = 0; n < 3; n += 1) await minute(world)
  const linkedAt = world.room.app.clock.now()
  await link(world, checkId, serviceId)
  world.room.advance(2000)
  const read = async (): Promise<ServiceView | undefined> => {
    const page = await findCachedPage(world.room.app, 'acme')
    return page?.model.cards[0]?.services[0]
  }
  const page = await findCachedPage(world.room.app, 'acme')
  t.match(page?.model.open, [{ severity: 'MAJOR', startedAt: linkedAt, services: [{ id: serviceId }] }])
  t.equal((await read())?.state, 'partial')
  for (let n = 0; n < 10; n += 1) await minute(world)
  world.room.advance(minuteMs + 1)
  const view = await read()
  t.equal(view?.days.filter(({ state }) => state !== 'none').length, 1, 'days before the link say nothing')
  t.ok((view?.uptime ?? 1) < 0.01, `it never worked: ${view?.uptime}`)
  await link(world, checkId, null)
  world.room.advance(2000)
  const after = await findCachedPage(world.room.app, 'acme')
  t.same(after?.model.open, [], 'it no longer speaks of the service')
  t.equal((await read())?.state, 'unknown')
})
