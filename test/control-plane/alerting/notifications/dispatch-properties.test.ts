// Runs in test:all only: it makes up hundreds of histories.
// Runs on both engines in test:all: rows are locked.
/** The outbox under random faults: receivers that misbehave, a store that refuses, processes that die, two at a time. */
import t, { type Test } from 'tap'
import { queueNotifications } from '../../../../control-plane/alerting/notifications/queue-notifications.ts'
import { createApp } from '../../../../control-plane/create-app.ts'
import type { Database, Db } from '../../../../control-plane/platform/store/database/db.ts'
import type { WholeApp } from '../../../../control-plane/whole-app.ts'
import {
  addChannel,
  alertEvent,
  dispatch,
  loopbackEnv,
  storedNotifications,
} from '../../../support/alerting.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { byLength } from '../../../support/length.ts'
import { randomFrom } from '../../../support/random.ts'
import { type Answering, receiver } from '../../../support/receiver.ts'

const seed = 20_260_102
const histories = {
  sqlite: byLength({ short: 30, all: 30, long: 200 }),
  postgres: byLength({ short: 10, all: 10, long: 20 }),
}
const stalledMs = 150

/** What happened to one notification. */
type Trace = {
  lane: string
  /** Its place among those of its check and channel. */
  position: number
  arrivals: number
  accepted: boolean
  refusedForGood: boolean
  /** How often its outcome was to be written, and how often it was written that it is finished. */
  outcomes: number
  ended: number
}

type World = {
  given: TestApp
  random: () => number
  traces: Map<string, Trace>
  faults: Record<string, number>
}

const oneOf = <T>(random: () => number, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)] as T

/** How a receiver answers: well in half of all cases. */
const answerOf = ({ random, faults }: World, trace: Trace): Answering => {
  const dice = random()
  const fault = (name: string, answer: Answering): Answering => {
    faults[name] = (faults[name] ?? 0) + 1
    return answer
  }
  if (dice < 0.2) return fault('status 500', { status: 500 })
  if (dice < 0.3)
    return fault('status 429', {
      status: 429,
      headers: { 'retry-after': String(1 + Math.floor(random() * 60)) },
    })
  if (dice < 0.35) return fault('status 503', { status: 503, headers: { 'retry-after': '5' } })
  if (dice < 0.38) return fault('stalled', 'stall')
  if (dice < 0.43) return fault('closed', 'close')
  if (dice < 0.47) {
    trace.refusedForGood = true
    return fault('redirected', { status: 302, headers: { location: '/' } })
  }
  trace.accepted = true
  return dice < 0.52 ? fault('body cut', 'cut') : {}
}

type Dispatcher = { app: WholeApp; isDead: () => boolean }

/** A process of its own over the same store, which may refuse a statement now and then, and which may die at any. */
const dispatcherOf = (world: World): Dispatcher => {
  const { given, random, traces, faults } = world
  const { config, log, cipher, clock, db, outgoing } = given.app
  let left = random() < 0.3 ? Math.floor(random() * 40) : Number.POSITIVE_INFINITY
  const perhaps = async (): Promise<void> => {
    left -= 1
    if (left < 0) throw new Error('killed')
    if (random() >= 0.03) return
    faults['store refused'] = (faults['store refused'] ?? 0) + 1
    throw new Error('refused')
  }
  /** `ended` is called for what is written down as finished. */
  const watched = <D extends Db>(on: D, ended: (trace: Trace) => void): D => ({
    ...on,
    all: async (...asked: Parameters<Db['all']>) => perhaps().then(() => on.all(...asked)),
    get: async (...asked: Parameters<Db['get']>) => perhaps().then(() => on.get(...asked)),
    select: async (...asked: Parameters<Db['select']>) => perhaps().then(() => on.select(...asked)),
    run: async (...[query, params]: Parameters<Db['run']>) => {
      const settled =
        query.name === 'settle-notification' ? (params as { id: string; dueAt: number | null }) : null
      const trace = settled === null ? undefined : traces.get(settled.id)
      if (trace) trace.outcomes += 1
      await perhaps()
      const changed = await on.run(query, params)
      if (trace && changed === 1 && settled?.dueAt === null) ended(trace)
      return changed
    },
  })
  const end = (trace: Trace): void => {
    trace.ended += 1
  }
  const faulty: Database = {
    ...watched(db, end),
    transaction: async (work) => {
      const ended: Trace[] = []
      const done = await db.transaction((trx) => work(watched(trx, (trace) => ended.push(trace))))
      ended.forEach(end)
      return done
    },
  }
  const app = createApp({
    config,
    log,
    cipher,
    clock,
    db: faulty,
    outgoing: { request: (request) => outgoing.request({ ...request, timeoutMs: stalledMs }) },
  })
  return { app, isDead: () => left < 0 }
}

/** From the first event to the end of the last notification; returns how many steps that took. */
const runHistory = async (t: Test, world: World, origin: string): Promise<number> => {
  const { given, random, traces, faults } = world
  const { app, accountId } = given
  const checks = [app.newId(), app.newId()]
  const channels = [
    await addChannel(given, 'WEBHOOK', { name: 'a', url: `${origin}/a` }),
    await addChannel(given, 'WEBHOOK', { name: 'b', url: `${origin}/b` }),
  ]
  const positions = new Map<string, number>()
  const mine: string[] = []
  const queue = async (): Promise<void> => {
    const checkId = oneOf(random, checks)
    const to = channels.filter(() => random() < 0.7)
    const ids = to.map(() => app.newId())
    const waiting = [...ids]
    const event = alertEvent({ accountId, checkId })
    const making = { now: app.clock.now(), newId: () => waiting.shift() ?? app.newId() }
    for (const [index, id] of ids.entries()) {
      const lane = `${checkId} ${to[index]}`
      const position = positions.get(lane) ?? 0
      positions.set(lane, position + 1)
      traces.set(id, {
        ...{ lane, position, arrivals: 0, accepted: false, refusedForGood: false },
        ...{ outcomes: 0, ended: 0 },
      })
      mine.push(id)
    }
    await app.db.transaction((trx) => queueNotifications(trx, [{ event, to }], making))
  }
  const dispatchers = [dispatcherOf(world), dispatcherOf(world)]
  const work = async (which: number): Promise<void> => {
    const dispatcher = dispatchers[which] as Dispatcher
    // What it fails with is logged by the motor of the loops, which goes on.
    await dispatch(dispatcher.app).catch((error: Error) => t.match(error.message, /killed|refused/))
    if (!dispatcher.isDead()) return
    faults['killed'] = (faults['killed'] ?? 0) + 1
    dispatchers[which] = dispatcherOf(world)
  }
  let events = 2 + Math.floor(random() * 4)
  for (let steps = 1; steps < 500; steps++) {
    const dice = random()
    if (events > 0 && dice < 0.35) {
      await queue()
      events -= 1
    } else if (dice < 0.55) await work(0)
    else if (dice < 0.7) await Promise.all([work(0), work(1)])
    else given.advance(oneOf(random, [1000, 5000, 20_000, 61_000]))
    if (events === 0 && mine.every((id) => (traces.get(id)?.ended ?? 0) > 0)) return steps
  }
  return t.fail('a history comes to its end') ? 0 : 500
}

for (const engine of engineNames)
  t.test(`random faults: every notification ends once and in order (${engine})`, async (t) => {
    const given = await testApp(t, { engine, env: loopbackEnv })
    const world: World = { given, random: randomFrom(seed), traces: new Map(), faults: {} }
    const { traces, faults } = world
    const furthest = new Map<string, number>()
    const hook = await receiver(t, ({ headers }) => {
      const trace = traces.get(String(headers['x-service-notification-id']))
      if (!trace) return { status: 500, body: 'nobody queued this' }
      trace.arrivals += 1
      const before = furthest.get(trace.lane) ?? 0
      if (trace.position < before) t.fail('a notification came after a later one of its check and channel')
      furthest.set(trace.lane, Math.max(before, trace.position))
      if (trace.ended > 0) t.fail('a notification came after its end')
      return answerOf(world, trace)
    })
    let steps = 0
    for (let history = 0; history < histories[engine]; history++)
      steps += await runHistory(t, world, hook.origin)

    given.advance(24 * 60 * 60_000)
    const { length: requests } = hook.received
    await dispatch(given.app)
    t.equal(hook.received.length, requests, 'a day later there is nothing left to send')
    const rows = await storedNotifications(given.app)
    t.equal(rows.length, traces.size)
    let doubled = 0
    for (const { id, status, tries, due_at } of rows) {
      const trace = traces.get(id)
      const { ended, accepted, refusedForGood, arrivals, outcomes } = trace ?? ({} as Trace)
      if (ended !== 1 || due_at !== null) t.fail(`${id} ended ${ended} times`)
      if (status === 'SUCCESS' ? !accepted : status !== 'FAILURE') t.fail(`${id} is ${status}`)
      if (status === 'FAILURE' && tries !== 5 && !refusedForGood) t.fail(`${id} was given up after ${tries}`)
      // One request for a try, and one more where the receiver closed a connection that was used before.
      if (arrivals > 2 * outcomes) t.fail(`${id} was sent ${arrivals} times in ${outcomes} tries`)
      if (status === 'SUCCESS' && arrivals > tries) doubled += 1
    }
    const counts = Object.entries(faults).map(([name, count]) => `${count} ${name}`)
    const ends = Object.entries(Object.groupBy(rows, ({ status }) => status))
    t.comment(`seed ${seed}: ${histories[engine]} histories of ${steps} steps, ${requests} requests`)
    t.comment(ends.map(([status, some]) => `${some?.length} ${status}`).join(', '), `${doubled} repeated`)
    t.comment(counts.join(', '))
    t.ok((faults['killed'] ?? 0) > 0 && (faults['store refused'] ?? 0) > 10, 'there were faults')
  })

for (const engine of engineNames)
  t.test(`a dispatcher that comes back after its claim has ended decides nothing (${engine})`, async (t) => {
    const given = await testApp(t, { engine, env: loopbackEnv })
    const { app, accountId, advance } = given
    const arrived = Promise.withResolvers<void>()
    const late = Promise.withResolvers<Answering>()
    const answers: Array<Answering | Promise<Answering>> = [late.promise, { status: 500 }, {}]
    const hook = await receiver(t, async (_, count) => {
      arrived.resolve()
      return (await answers[count - 1]) ?? { status: 500 }
    })
    const channel = await addChannel(given, 'WEBHOOK', { name: 'w', url: hook.origin })
    await app.db.transaction((trx) =>
      queueNotifications(trx, [{ event: alertEvent({ accountId }), to: [channel] }], {
        now: app.clock.now(),
        newId: app.newId,
      }),
    )
    const { config, db, log, cipher, clock } = app
    const second = createApp({ config, db, log, cipher, clock })
    const slow = dispatch(app)
    await arrived.promise
    advance(20_000)
    await dispatch(second)
    t.match(await storedNotifications(app), [{ status: 'IN_PROGRESS', tries: 1 }])
    late.resolve({})
    await slow
    t.match(await storedNotifications(app), [{ status: 'IN_PROGRESS', tries: 1, result: 'HTTP 500: ok' }])
    t.notMatch(
      await app.metrics.metrics(),
      /watchpost_notification_attempts_total\{.*\} [1-9]/,
      'and counts nothing',
    )
    advance(20_000)
    await dispatch(second)
    t.match(await storedNotifications(app), [{ status: 'SUCCESS', tries: 2 }])
    t.equal(new Set(hook.received.map(({ headers }) => headers['x-service-notification-id'])).size, 1)
    t.equal(hook.received.length, 3)
  })
