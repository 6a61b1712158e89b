// Runs on both engines in test:all: what belongs to a storm is read from what was told before.
/** A storm whose failures come in slowly, late or all in one piece, over processes that die: it is a few messages. */
import t, { type Test } from 'tap'
import { recordAlerts } from '../../../../control-plane/alerting/engine/record-alert.ts'
import { createApp } from '../../../../control-plane/create-app.ts'
import { alertEvent, dispatch, loopbackEnv } from '../../../support/alerting.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { randomFrom } from '../../../support/random.ts'
import { receiver } from '../../../support/receiver.ts'

const stormBrake = { checks: 5, percent: 100, windowMs: 60_000 }
const enough = stormBrake.checks - 1

type Failing = { host?: string; location?: string; agoMs?: number }

const slowRoom = async (t: Test, engine: (typeof engineNames)[number]) => {
  let whileSending = async (): Promise<void> => {}
  const hook = await receiver(t, async () => {
    await whileSending()
    return {}
  })
  const given = await testApp(t, { engine, env: loopbackEnv })
  const { accountId, call, advance } = given
  let { app } = given
  const group = await call('POST', '/v1/check-groups', { body: { name: 'all' } })
  const config = { name: 'hook', url: hook.origin }
  const subscriptions = [{ groupId: group.body.id, activated: true }]
  const channel = await call('POST', '/v1/alert-channels', {
    body: { type: 'WEBHOOK', config, subscriptions },
  })
  t.equal(channel.status, 201, channel.text)
  let failed = 0
  const opening = ({ host = 'router', location = 'here', agoMs = 0 }: Failing) => {
    failed += 1
    const event = alertEvent({
      accountId,
      groupId: group.body.id,
      checkId: app.newId(),
      checkAlertId: app.newId(),
      checkResultId: app.newId(),
      checkName: `${host} ${failed}`,
      runLocation: location,
      at: app.clock.now() - agoMs,
    })
    const gathering = { stormBrake, grouping: null, host, dependency: null }
    return { event, afterFailure: false, isFirst: true, gathering }
  }
  return {
    advance,
    hook,
    /** In one transaction. */
    fail: async (count: number, failing: Failing = {}): Promise<void> => {
      const alerts = Array.from({ length: count }, () => opening(failing))
      const stamp = { now: app.clock.now(), newId: app.newId }
      await app.db.transaction((trx) => recordAlerts(trx, alerts, stamp))
    },
    /** While a message is on its way, more happens. */
    duringNextMessage: (work: () => Promise<void>): void => {
      whileSending = async () => {
        whileSending = async () => {}
        await work()
      }
    },
    pass: async (seconds: number): Promise<void> => {
      advance(seconds * 1000)
      await dispatch(app)
    },
    /** All that is only in memory is gone. */
    kill: (): void => {
      const { config, log, cipher, clock, db, outgoing } = app
      app = createApp({ config, log, cipher, clock, db, outgoing })
    },
    /** How many each message named, in order. */
    told: (): number[] => hook.received.map(({ json }) => json.members?.length ?? 1),
    toldOf: (): Set<string> =>
      new Set(
        hook.received.flatMap(({ json }) =>
          (json.members ?? [json]).map((one: { check_result_id: string }) => one.check_result_id),
        ),
      ),
  }
}

for (const engine of engineNames) {
  const test = (name: string, body: (t: Test, room: Awaited<ReturnType<typeof slowRoom>>) => Promise<void>) =>
    t.test(`${name} (${engine})`, async (t) => body(t, await slowRoom(t, engine)))

  test('however many come in at once, each of them is part of the storm', async (t, room) => {
    await room.fail(800)
    await room.pass(3)
    t.strictSame(room.told(), [800])
  })

  test('those that waited to see whether others follow join a batch of any size', async (t, room) => {
    for (let n = 0; n < enough; n++) await room.fail(1)
    await room.fail(700)
    await room.pass(3)
    t.strictSame(room.told().toSorted(), [1, enough + 700 - 1])
  })

  test('what is told late is a storm like any other', async (t, room) => {
    for (let n = 0; n < 100; n++) await room.fail(1, { agoMs: 300_000 })
    await room.pass(3)
    t.strictSame(room.told().toSorted(), [1, 99])
  })

  test('what trickles in after a storm is told with it, until it is quiet for a while', async (t, room) => {
    await room.fail(30)
    await room.pass(3)
    for (let seconds = 0; seconds < 600; seconds += 20) {
      await room.pass(20)
      await room.fail(1)
      if (seconds % 60 === 0) room.kill()
    }
    await room.pass(60)
    t.ok(room.told().length <= 1 + 600 / 60 + 1, `${room.told()}`)
    t.equal(room.toldOf().size, 30 + 30)
    const before = room.told().length
    await room.fail(1, { host: 'other' })
    await room.pass(0)
    t.equal(room.told().length, before + 1, 'another host is none of it')
    await room.pass(130)
    await room.fail(1)
    await room.pass(0)
    t.strictSame(room.told().slice(before), [1, 1], 'and neither is what fails when all is quiet')
  })

  test('a slow receiver makes a storm no longer', async (t, room) => {
    await room.fail(50)
    room.duringNextMessage(async () => {
      for (let n = 0; n < 40; n++) {
        room.advance(1000)
        await room.fail(5)
      }
    })
    await room.pass(3)
    await room.pass(100)
    t.strictSame(room.told(), [50, 200])
  })

  test('a thousand failures at any speed, and kills, are a few messages', async (t, room) => {
    for (let seed = 1; seed <= 4; seed++) {
      const random = randomFrom(seed)
      const before = { messages: room.told().length, told: room.toldOf().size }
      const perMinute = 30 + random() * random() * 3000
      let left = 1000
      let seconds = 0
      while (left > 0) {
        const pause = Math.ceil(random() * 20)
        seconds += pause
        await room.pass(pause)
        const count = Math.min(left, Math.ceil((perMinute / 60) * pause))
        left -= count
        await room.fail(count, { host: `router ${seed}` })
        if (random() < 0.1) {
          room.kill()
          room.advance(40_000)
          seconds += 40
        }
      }
      await room.pass(70)
      const messages = room.told().length - before.messages
      t.equal(room.toldOf().size - before.told, 1000)
      t.ok(messages <= enough + 2 + seconds / 60, `seed ${seed}: ${messages} messages in ${seconds} s`)
      await room.pass(200)
    }
  })
}
