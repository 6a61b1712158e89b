import t from 'tap'
import { createRateLimiter } from '../../../../control-plane/platform/http/rate-limiter.ts'
import { testApp } from '../../../support/app.ts'

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

t.test('a flood of keys shares one window instead of growing the memory', async (t) => {
  const { take } = createRateLimiter({ requests: 10, seconds: 60 })
  for (let i = 0; i < 20_000; i++) take(`key-${i}`, 0)
  for (let i = 0; i < 10; i++) t.ok(take(`late-${i}`, 1).allowed)
  t.notOk(take('late-10', 1).allowed, 'the shared window is full')
  t.ok(take('key-5', 1).allowed, 'known keys keep their own')
  t.ok(take('late-11', 60_000).allowed, 'ended windows make room')
})
