import t from 'tap'
import { createRateLimiter } from '../../../../../../control-plane/platform/web/http/limits/rate-limiter.ts'
import { type TestApp, testApp } from '../../../../../support/app.ts'
import { randomFrom } from '../../../../../support/random.ts'

t.test('the request after the 600th of a minute is refused, and the next minute is free', async (t) => {
  const { call, advance, addKey, accountId } = await testApp(t)
  const first = await call('GET', '/v1/missed-runs')
  t.equal(first.headers.get('ratelimit-limit'), '600')
  t.equal(first.headers.get('ratelimit-remaining'), '599')
  advance(20_000)
  for (let i = 0; i < 599; i += 20)
    await Promise.all(Array.from({ length: Math.min(20, 599 - i) }, () => call('GET', '/v1/missed-runs')))
  const refused = await call('GET', '/v1/missed-runs')
  t.equal(refused.status, 429)
  t.match(refused.body, {
    statusCode: 429,
    error: 'Too Many Requests',
    message: 'Too Many Requests',
    attributes: {},
  })
  t.equal(refused.headers.get('retry-after'), '40')
  t.equal(refused.headers.get('ratelimit-remaining'), '0')
  t.equal(refused.headers.get('ratelimit-reset'), '40')
  t.equal(refused.headers.get('x-ratelimit-limit'), '600')
  const { apiKey: key } = await addKey({ accountId })
  t.equal((await call('GET', '/v1/missed-runs', { key })).status, 200, 'each key has its own')
  advance(40_000)
  t.equal((await call('GET', '/v1/missed-runs')).status, 200)
})

t.test('an address that keeps guessing keys is slowed down; a right key still works', async (t) => {
  const { call } = await testApp(t)
  const guess = () => call('GET', '/v1/checks', { key: 'wp_guess' })
  for (let i = 0; i < 60; i++) t.equal((await guess()).status, 401)
  const refused = await guess()
  t.equal(refused.status, 429)
  t.ok(refused.headers.get('retry-after'))
  t.equal((await call('GET', '/v1/checks')).status, 200)
})

const counted = (name: string, wider = name.split('-')[0] ?? '') => ({ name, wider: () => wider })

t.test(
  'a flood of names shares the window of what they belong to instead of growing the memory',
  async (t) => {
    const limiter = createRateLimiter({ requests: 10, seconds: 60 }, 20_000)
    const take = (name: string, now: number) => limiter.take(counted(name), now).allowed
    for (let i = 0; i < 20_000; i++) take(`key-${i}`, 0)
    for (let i = 0; i < 10; i++) t.ok(take(`key-late${i}`, 1))
    t.notOk(take('key-late10', 1), 'the shared window is full')
    t.notOk(limiter.look(counted('key-late11'), 1).allowed)
    t.ok(take('key-5', 1), 'known names keep their own')
    t.ok(take('other-1', 1), 'who belongs to something else is not refused for it')
    t.ok(take('key-late11', 60_000), 'ended windows make room')
  },
)

t.test('nobody gets a new window before the old one has ended, however many come between', async (t) => {
  const limiter = createRateLimiter({ requests: 3, seconds: 60 }, 100)
  const take = (name: string, now: number) => limiter.take(counted(name), now).allowed
  for (let i = 0; i < 3; i++) t.ok(take('me-0', 30_000))
  for (let now = 30_001; now < 90_000; now += 500) {
    for (let i = 0; i < 50; i++) take(`flood${now}-${i}`, now)
    t.notOk(take('me-0', now))
  }
  t.ok(take('me-0', 90_000))
})

t.test('look tells what the next one would be told, and counts nothing', async (t) => {
  const limiter = createRateLimiter({ requests: 2, seconds: 60 }, 10)
  const one = counted('a')
  for (let i = 0; i < 5; i++) t.ok(limiter.look(one, 0).allowed)
  limiter.take(one, 0)
  t.match(limiter.look(one, 20_000), { allowed: true, remaining: 0, resetSeconds: 40 })
  limiter.take(one, 20_000)
  t.match(limiter.look(one, 20_000), { allowed: false, resetSeconds: 40 })
})

t.test('windows end when they should, whatever came before', async (t) => {
  const random = randomFrom(11)
  const limiter = createRateLimiter({ requests: 5, seconds: 10 }, 1000)
  const starts = new Map<string, { endsAt: number; count: number }>()
  for (let round = 0, now = 0; round < 20_000; round++, now += Math.floor(random() * 400)) {
    const name = `n${Math.floor(random() * 20)}`
    const known = starts.get(name)
    const window = known && known.endsAt > now ? known : { endsAt: now + 10_000, count: 0 }
    window.count += 1
    starts.set(name, window)
    const { allowed } = limiter.take(counted(name), now)
    if (allowed !== window.count <= 5) t.fail(`${name} at ${now}`)
  }
})

t.test(
  'a wrong key of a refused address costs no look in the store, and right keys go on working',
  async (t) => {
    const { call, app, addKey, accountId } = await testApp(t)
    const { apiKey: unseen } = await addKey({ accountId })
    t.equal((await call('GET', '/v1/checks')).status, 200)
    let looks = 0
    const { get } = app.db
    app.db.get = ((...given: Parameters<typeof get>) => {
      looks += 1
      return get(...given)
    }) as typeof get
    const guess = async (count: number) =>
      (await call('GET', '/v1/checks', { key: `wp_guess${count}` })).status
    for (let i = 0; i < 65; i++) t.equal(await guess(i), i < 60 ? 401 : 429)
    t.equal((await call('GET', '/v1/checks', { key: unseen })).status, 200, 'one that nobody has seen yet')
    for (let i = 0; i < 10; i++) t.equal(await guess(i), 429)
    looks = 0
    for (let i = 0; i < 20; i++) {
      const refused = await call('GET', '/v1/checks', { key: `wp_more${i}` })
      t.equal(refused.status, 429)
      t.ok(Number(refused.headers.get('retry-after')) > 0)
    }
    t.equal(looks, 0)
    t.equal((await call('GET', '/v1/checks')).status, 200, 'one that is known')
    t.equal((await call('GET', '/v1/checks', { key: unseen })).status, 200)
  },
)

const publicGet = (call: TestApp['call'], headers: Record<string, string>) =>
  call('GET', '/v1/runtimes', { key: null, headers })

t.test('addresses and keys have windows of their own', async (t) => {
  const { call } = await testApp(t)
  for (let i = 0; i < 600; i += 20) await Promise.all(Array.from({ length: 20 }, () => publicGet(call, {})))
  t.equal((await publicGet(call, {})).status, 429)
  t.equal((await call('GET', '/v1/checks')).headers.get('ratelimit-remaining'), '599')
})

t.test('behind a trusted proxy each client has a window, and nobody else is believed', async (t) => {
  const remaining = async ({ call }: TestApp, headers: Record<string, string>) =>
    Number((await publicGet(call, headers)).headers.get('ratelimit-remaining'))
  const trusting = await testApp(t, { env: { TRUSTED_PROXIES: 'loopback' } })
  t.equal(await remaining(trusting, { 'x-forwarded-for': '203.0.113.7' }), 599)
  t.equal(await remaining(trusting, { 'x-forwarded-for': '198.51.100.1, 203.0.113.7' }), 598)
  t.equal(await remaining(trusting, { forwarded: 'for=203.0.113.7;proto=https' }), 597)
  t.equal(await remaining(trusting, { 'x-forwarded-for': '203.0.113.8' }), 599)
  t.equal(await remaining(trusting, { 'x-forwarded-for': '2001:db8:1:2::3' }), 599)
  t.equal(await remaining(trusting, { forwarded: 'for="[2001:db8:1:2:ffff::4]:443"' }), 598, 'one /64')
  t.equal(await remaining(trusting, { forwarded: 'for="[2001:db8:1:3::4]"' }), 599)
  const alone = await testApp(t)
  t.equal(await remaining(alone, { 'x-forwarded-for': '203.0.113.7' }), 599)
  t.equal(await remaining(alone, { 'x-forwarded-for': '203.0.113.8' }), 598)
})
