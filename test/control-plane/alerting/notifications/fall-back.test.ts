// Runs on both engines: channels are locked, and what is given up ends in one transaction with what is told instead.
/** A channel that cannot deliver, and who is told instead of it. */
import t, { type Test } from 'tap'
import { faultOf } from '../../../../control-plane/alerting/alert-channels/fallbacks.ts'
import { alertEvent, dispatch, loopbackEnv, queueEvent } from '../../../support/alerting.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { type Answering, receiver } from '../../../support/receiver.ts'

const rooms = async (t: Test, engine: (typeof engineNames)[number], answer: Answering = { status: 500 }) => {
  const plane = await testApp(t, { engine, env: loopbackEnv })
  const broken = await receiver(t, () => answer)
  const working = await receiver(t)
  const make = async (name: string, origin: string, fallbackChannelId: number | null = null) => {
    const body = { type: 'WEBHOOK', config: { name, url: `${origin}/${name}` }, fallbackChannelId }
    return plane.call('POST', '/v1/alert-channels', { body })
  }
  return {
    ...plane,
    broken,
    working,
    make,
    add: async (...args: Parameters<typeof make>): Promise<number> => (await make(...args)).body.id,
    change: (id: number, fallbackChannelId: number | null) =>
      plane.call('PUT', `/v1/alert-channels/${id}`, {
        body: { type: 'WEBHOOK', config: { name: 'n', url: working.origin }, fallbackChannelId },
      }),
    queue: (to: number[], more: object = {}) =>
      queueEvent(plane.app, alertEvent({ accountId: plane.accountId, ...more }), to),
    /** Until nothing is tried any more. */
    settle: async () => {
      for (let tries = 0; tries < 5; tries++) {
        await dispatch(plane.app)
        plane.advance(20_000)
      }
    },
    told: () => working.received.map(({ path }) => path),
    all: async () => (await plane.call('GET', '/v1/alert-notifications')).body,
  }
}

for (const engine of engineNames) {
  const test = (
    name: string,
    body: (t: Test, room: Awaited<ReturnType<typeof rooms>>) => Promise<void>,
    answer?: Answering,
  ) => t.test(`${name} (${engine})`, async (t) => body(t, await rooms(t, engine, answer)))

  test('what is given up goes to the fallback once, and both are said', async (t, room) => {
    const second = await room.add('second', room.working.origin)
    const first = await room.add('first', room.broken.origin, second)
    await room.queue([first])
    for (let tries = 0; tries < 4; tries++) {
      await dispatch(room.app)
      room.advance(20_000)
    }
    t.strictSame(room.told(), [], 'not before it is given up')
    await room.settle()
    t.strictSame(room.told(), ['/second'])
    t.match(room.working.received[0]?.json, {
      alert_type: 'ALERT_FAILURE',
      instead_of: { channelIds: [first], name: 'first', reason: /HTTP 500/ },
    })
    t.match(await room.all(), [
      { alertChannelId: second, status: 'SUCCESS', insteadOf: first, toldInstead: null },
      { alertChannelId: first, status: 'FAILURE', insteadOf: null, toldInstead: second },
    ])
    const [, dead] = await room.all()
    t.equal((await room.call('POST', `/v1/alert-notifications/${dead.id}/resend`)).status, 202)
    await room.settle()
    t.strictSame(room.told(), ['/second'], 'once, however often it is sent again')
  })

  test('a fallback has a fallback, and one that was told anyway is not told again', async (t, room) => {
    const last = await room.add('last', room.working.origin)
    const middle = await room.add('middle', room.broken.origin, last)
    const first = await room.add('first', room.broken.origin, middle)
    await room.queue([first])
    await room.settle()
    await room.settle()
    t.strictSame(room.told(), ['/last'])
    t.match(room.working.received[0]?.json, { instead_of: { channelIds: [first, middle], name: 'middle' } })
    await room.queue([first, last], { checkAlertId: room.app.newId(), checkId: room.app.newId() })
    await room.settle()
    await room.settle()
    t.strictSame(room.told(), ['/last', '/last'], 'it is subscribed itself')
  })

  test(
    'what is critical does not wait for a long pause, what is normal does',
    async (t, room) => {
      const second = await room.add('second', room.working.origin)
      const first = await room.add('first', room.broken.origin, second)
      await room.queue([first], { checkId: room.app.newId() })
      await dispatch(room.app)
      t.strictSame(room.told(), [])
      const critical = { severity: 'CRITICAL', checkId: room.app.newId(), checkAlertId: room.app.newId() }
      await room.queue([first], critical)
      await dispatch(room.app)
      await dispatch(room.app)
      t.strictSame(room.told(), ['/second'])
      t.match(
        (await room.all()).map(({ status }: { status: string }) => status),
        ['SUCCESS', 'RATE_LIMITED', 'RATE_LIMITED'],
      )
    },
    { status: 429, headers: { 'retry-after': '600' } },
  )

  test('circles, long ways and channels of others are refused; a fallback is not deleted', async (t, room) => {
    const { working, make, add, change } = room
    const a = await add('a', working.origin)
    t.match(await change(a, a), { status: 400, text: /is the channel itself/ })
    t.match(await make('x', working.origin, 999_999), { status: 400, text: /is no channel of the account/ })
    const b = await add('b', working.origin, a)
    const c = await add('c', working.origin, b)
    t.match(await change(a, c), {
      status: 400,
      text: new RegExp(`leads back to the channel: ${a} → ${c} → ${b} → ${a}`),
    })
    const d = await add('d', working.origin, c)
    t.match(await make('e', working.origin, d), { status: 400, text: /more than 3 fallbacks in a row/ })
    const e = await add('e', working.origin)
    t.match(await change(a, e), { status: 400, text: /more than 3/ }, 'neither at the other end')
    t.match(await room.call('DELETE', `/v1/alert-channels/${c}`), {
      status: 409,
      text: new RegExp(`It is the fallback of channel ${d}`),
    })
    t.equal((await change(d, null)).status, 200)
    t.equal((await room.call('DELETE', `/v1/alert-channels/${c}`)).status, 204)
    const both = await Promise.all([change(d, e), change(e, d)])
    t.strictSame(both.map(({ status }) => status).sort(), [200, 400], 'two at once close no circle')
  })
}

t.test('the rule alone', async (t) => {
  const fallbacks = new Map([
    [1, 2],
    [2, null],
    [3, 3],
  ])
  t.equal(faultOf(fallbacks, { id: null, fallbackChannelId: 1 }), null)
  t.match(faultOf(fallbacks, { id: 2, fallbackChannelId: 1 }), /leads back/)
  t.equal(faultOf(fallbacks, { id: 1, fallbackChannelId: 3 }), null, 'it ends, whatever is stored')
})
