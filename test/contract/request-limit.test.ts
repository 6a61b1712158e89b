/** An apply of many resources: the operator sets how many requests a key has, and a client may ask to wait instead of being refused. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { testApp } from '../support/app.ts'
import { testsBeginAt } from '../support/tests-begin.ts'

/** A clock on which time passes when the test says so. */
const stoppedClock = () => {
  let now = testsBeginAt
  const sleepers = new Map<() => void, number>()
  return {
    clock: {
      now: () => now,
      monotonic: () => now,
      sleep: (ms: number, signal?: AbortSignal) =>
        new Promise<void>((resolve) => {
          sleepers.set(resolve, now + ms)
          signal?.addEventListener('abort', () => resolve())
        }),
    },
    sleeping: () => sleepers.size,
    pass: (ms: number) => {
      now += ms
      for (const [wake, at] of sleepers) if (at <= now && sleepers.delete(wake)) wake()
    },
  }
}

const limitedPlane = async (t: Test, requests: string) => {
  const time = stoppedClock()
  const plane = await testApp(t, {
    env: { API_REQUESTS_PER_MINUTE: requests },
    parts: { clock: time.clock as never },
  })
  const write = (headers: Record<string, string> = {}) =>
    plane.call('POST', '/v1/snippets', { headers, body: { name: 'a', script: '' } })
  return { plane, time, write }
}

t.test('the operator says how many requests a key has a minute', async (t) => {
  const { plane, time, write } = await limitedPlane(t, '3')
  const entitled = await plane.call('GET', '/v1/accounts/me/entitlements')
  t.equal(entitled.headers.get('ratelimit-limit'), '3')
  t.match(
    entitled.body.entitlements.find(({ key }: { key: string }) => key === 'API_REQUESTS_PER_MINUTE'),
    { quantity: 3 },
  )
  t.equal((await write()).status, 201)
  t.equal((await write()).status, 201)
  const refused = await write()
  t.equal(refused.status, 429)
  t.equal(refused.headers.get('retry-after'), '60')
  time.pass(60_000)
  t.equal((await write()).status, 201, 'the next minute')
})

t.test('a write waits for its turn where the client asks for it', async (t) => {
  const { plane, time, write } = await limitedPlane(t, '1')
  t.equal((await write()).status, 201)
  t.equal((await write({ prefer: 'wait=59' })).status, 429, 'for less than it takes: refused at once')
  const list = await plane.call('GET', '/v1/snippets', { headers: { prefer: 'wait=60' } })
  t.equal(list.status, 429, 'a read does not wait')
  const waiting = write({ prefer: 'respond-async, wait=60' })
  while (time.sleeping() === 0) await nextTurn()
  time.pass(60_000)
  t.equal((await waiting).status, 201)
  t.equal(time.sleeping(), 0)
})

t.test('only so many of a key wait', async (t) => {
  const { time, write } = await limitedPlane(t, '1')
  await write()
  const waiting = Array.from({ length: 20 }, () => write({ prefer: 'wait=60' }))
  while (time.sleeping() < 20) await nextTurn()
  t.equal((await write({ prefer: 'wait=60' })).status, 429, 'the next one is refused at once')
  time.pass(60_000)
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  t.strictSame([statuses.filter((status) => status === 201).length, statuses.includes(500)], [1, false])
})
