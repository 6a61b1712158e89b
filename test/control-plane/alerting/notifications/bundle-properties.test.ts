// Runs in test:all only: it makes up hundreds of histories.
// Runs on both engines in test:all: what a message names is claimed and settled with row locks.
/** Messages that name many, under random faults: receivers that refuse, a store that refuses, processes that die, two at a time. */
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
import { type Received, receiver } from '../../../support/receiver.ts'

const seed = 20_261_128
const histories = byLength({
  short: { sqlite: 20, postgres: 12 },
  all: { sqlite: 20, postgres: 12 },
  long: { sqlite: 40, postgres: 25 },
})

/** One event in one channel. */
type Trace = { line: string; position: number; messages: Set<string> }

type World = {
  given: TestApp
  random: () => number
  traces: Map<string, Trace>
  /** What each message named when it came first. */
  named: Map<string, string>
  accepted: Set<string>
  faults: number
  sizes: number[]
}

/** A process over the same store, which may refuse a statement now and then, and which may die at any. */
const processOf = (world: World): { app: WholeApp; isDead: () => boolean } => {
  const { given, random } = world
  const { config, log, cipher, clock, db, outgoing } = given.app
  let left = random() < 0.4 ? Math.floor(random() * 40) : Number.POSITIVE_INFINITY
  const perhaps = async (): Promise<void> => {
    left -= 1
    if (left >= 0 && random() >= 0.03) return
    world.faults += 1
    throw new Error(left < 0 ? 'killed' : 'refused')
  }
  const watched = <D extends Db>(on: D): D => ({
    ...on,
    all: async (...asked: Parameters<Db['all']>) => perhaps().then(() => on.all(...asked)),
    get: async (...asked: Parameters<Db['get']>) => perhaps().then(() => on.get(...asked)),
    select: async (...asked: Parameters<Db['select']>) => perhaps().then(() => on.select(...asked)),
    run: async (...asked: Parameters<Db['run']>) => perhaps().then(() => on.run(...asked)),
  })
  const faulty: Database = {
    ...watched(db),
    transaction: (work) =>
      db.transaction(async (trx) => {
        const done = await work(watched(trx))
        // Everything is written, and nothing committed.
        await perhaps()
        return done
      }),
  }
  return { app: createApp({ config, log, cipher, clock, db: faulty, outgoing }), isDead: () => left < 0 }
}

/** The message of each that was delivered. */
const deliveredIn = async ({ db }: WholeApp): Promise<string[]> => {
  const rows = await db.select((k) =>
    k.selectFrom('alert_notifications').select(['id', 'bundle_id']).where('status', '=', 'SUCCESS'),
  )
  return rows.map(({ id, bundle_id }) => bundle_id ?? id)
}

const keyOf = (path: string, resultId: string): string => `${path} ${resultId}`

const live = async (t: Test, world: World, origin: string): Promise<void> => {
  const { given, random, traces } = world
  const { app, accountId } = given
  const checks = Array.from({ length: 4 }, () => app.newId())
  const names = ['a', 'b'].map((name) => `${name}${app.newId().slice(-12)}`)
  const channels: number[] = []
  for (const name of names)
    channels.push(await addChannel(given, 'WEBHOOK', { name, url: `${origin}/${name}` }))
  const gathers = ['storm host x', 'tag y', null]
  const queue = async (): Promise<void> => {
    const notices = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
      const gather = gathers[Math.floor(random() * 3)] ?? null
      const checkResultId = app.newId()
      const checkId = checks[Math.floor(random() * checks.length)] ?? ''
      for (const name of names)
        traces.set(keyOf(`/${name}`, checkResultId), {
          line: `${name} ${checkId}`,
          position: traces.size,
          messages: new Set(),
        })
      const event = alertEvent({ accountId, checkId, checkResultId, checkAlertId: app.newId() })
      return { event, to: channels, ...(gather === null ? {} : { gather }) }
    })
    const stamp = { now: app.clock.now(), newId: app.newId }
    await app.db.transaction((trx) => queueNotifications(trx, notices, stamp))
  }
  const processes = [processOf(world), processOf(world)]
  const work = async (which: number): Promise<void> => {
    const one = processes[which] as ReturnType<typeof processOf>
    await dispatch(one.app).catch((error: Error) => t.match(error.message, /killed|refused/))
    if (one.isDead()) processes[which] = processOf(world)
  }
  for (let events = 3; events > 0; ) {
    const dice = random()
    if (dice < 0.3) {
      await queue()
      events -= 1
    } else if (dice < 0.5) await work(0)
    else if (dice < 0.7) await Promise.all([work(0), work(1)])
    else given.advance(20_000)
  }
  for (let rest = 0; rest < 12; rest++) {
    await Promise.all([work(0), work(1)])
    given.advance(61_000)
  }
}

for (const engine of engineNames)
  t.test(`each is told in one message, in its order, whatever dies (${engine})`, async (t) => {
    const given = await testApp(t, { engine, env: loopbackEnv })
    const random = randomFrom(seed)
    const world: World = {
      given,
      random,
      traces: new Map(),
      named: new Map(),
      accepted: new Set(),
      faults: 0,
      sizes: [],
    }
    const furthest = new Map<string, number>()
    const hook = await receiver(t, ({ path, json, headers }: Received) => {
      const message = String(headers['x-service-notification-id'])
      const ids: string[] = (json.members ?? [json]).map(
        (one: { check_result_id: string }) => one.check_result_id,
      )
      const before = world.named.get(message)
      if (before !== undefined && before !== ids.toSorted().join())
        t.fail('a copy names others than the first')
      world.named.set(message, ids.toSorted().join())
      world.sizes.push(ids.length)
      const isAccepted = random() < 0.6
      for (const id of ids) {
        const trace = world.traces.get(keyOf(path, id))
        if (trace === undefined) return { status: 500, body: 'nobody queued this' }
        trace.messages.add(message)
        if (trace.position < (furthest.get(trace.line) ?? 0)) t.fail('it came after a later one of its line')
        furthest.set(trace.line, trace.position)
      }
      if (isAccepted) world.accepted.add(message)
      return isAccepted ? {} : { status: random() < 0.7 ? 500 : 503 }
    })
    for (let history = 0; history < histories[engine]; history++) await live(t, world, hook.origin)
    for (let rest = 0; rest < 10; rest++) {
      await dispatch(given.app)
      given.advance(3_600_000)
    }
    const rows = await storedNotifications(given.app)
    t.equal(rows.length, world.traces.size)
    t.strictSame(
      rows.filter(({ status, due_at }) => due_at !== null || !['SUCCESS', 'FAILURE'].includes(status)),
      [],
      'every one has its end',
    )
    const traces = [...world.traces.values()]
    t.equal(traces.filter(({ messages }) => messages.size > 1).length, 0, 'none is in two messages')
    const untrue = (await deliveredIn(given.app)).filter((message) => !world.accepted.has(message))
    t.strictSame(untrue, [], 'what is delivered was accepted, by itself or in the message that named it')
    const many = world.sizes.filter((size) => size > 1).length
    t.comment(
      `seed ${seed}: ${rows.length} in ${world.named.size} messages, ${many} of ${world.sizes.length} tries named several, ${world.faults} faults`,
    )
    t.ok(many > 20 && world.faults > 50, 'there were such messages, and faults')
  })
