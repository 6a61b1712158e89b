// Runs on both engines in test:all: what a control plane that was killed left of a try is looked for by a statement of its own.
/** A check is tried before it is saved: it runs, and nothing of it stays. */
import t from 'tap'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { sessionOf, visitPage } from '../../../../support/dashboard.ts'
import { eachDatabase } from '../../../../support/databases.ts'
import { fakeClock } from '../../../../support/fake-clock.ts'
import { inProcessAgent } from '../../../../support/in-process-agent.ts'
import { httpServer } from '../../../../support/servers.ts'

/** What the agent has to do while somebody waits for the answer. */
const whileServed = async <T>(plane: TestApp, ask: () => Promise<T>): Promise<T> => {
  const agent = inProcessAgent(plane)
  await agent.runDue()
  let isOver = false
  const over = ask().finally(() => {
    isOver = true
  })
  while (!isOver && (await agent.runDue()) === 0) await new Promise((resolve) => setImmediate(resolve))
  return over
}

const checkOf = (url: string, more: object = {}) => ({
  checkType: 'URL',
  name: 'Shop',
  request: { url, assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }] },
  privateLocations: ['local'],
  ...more,
})

t.test('it runs once and tells what came of it, and neither it nor its result is kept', async (t) => {
  const plane = await testApp(t)
  let status = 200
  const target = await httpServer(t, (_request, response) => {
    response.statusCode = status
    response.end('fine')
  })
  const attempt = (body: object) => whileServed(plane, () => plane.call('POST', '/v1/check-tries', { body }))
  const passed = await attempt(checkOf(target.origin))
  t.equal(passed.status, 200, passed.text)
  t.match(passed.body, {
    outcome: 'passed',
    location: 'local',
    message: null,
    result: { hasFailures: false },
  })
  status = 503
  const failed = await attempt(checkOf(target.origin, { retryStrategy: { type: 'FIXED', maxRetries: 2 } }))
  t.match(failed.body, { outcome: 'failed', message: /503/, result: { hasFailures: true } })
  t.strictSame((await plane.call('GET', '/v1/checks')).body, [])
  t.equal((await plane.call('GET', `/v2/check-results/${failed.body.result.checkId}`)).status, 404)
})

eachDatabase('what a control plane that was killed left of a try is gone by the next one', async (t, db) => {
  const clock = fakeClock()
  const plane = await testApp(t, { parts: { db, clock } })
  const target = await httpServer(t, (_request, response) => response.end('fine'))
  const tags = ['watchpost:try']
  const left = await plane.call('POST', '/v1/checks', { body: checkOf(target.origin, { tags }) })
  t.equal(left.status, 201, left.text)
  clock.advance(181_000)
  await plane.call('POST', '/v1/private-locations', { body: { name: 'Paris', slugName: 'paris' } })
  const body = checkOf(target.origin, { privateLocations: ['paris'] })
  t.match((await plane.call('POST', '/v1/check-tries', { body })).body, { outcome: 'not-run' })
  t.equal((await plane.call('GET', `/v1/checks/${left.body.id}`)).status, 404)
})

t.test('what cannot be run is said at once, and what is wrong as it would be of a creation', async (t) => {
  const plane = await testApp(t)
  await plane.call('POST', '/v1/private-locations', { body: { name: 'Paris', slugName: 'paris' } })
  await inProcessAgent(plane).runDue()
  const away = await plane.call('POST', '/v1/check-tries', {
    body: checkOf('https://shop.example/', { privateLocations: ['paris'] }),
  })
  t.match(away.body, { outcome: 'not-run', location: 'paris', message: /agent/i, result: null })
  const nowhere = await plane.call('POST', '/v1/check-tries', {
    body: checkOf('https://shop.example/', { privateLocations: [] }),
  })
  t.equal(nowhere.status, 400)
  t.match(nowhere.body.attributes ?? nowhere.body, { violations: [{ path: 'privateLocations' }] })
  const wrong = await plane.call('POST', '/v1/check-tries', { body: checkOf('ftp://shop.example/') })
  t.equal(wrong.status, 400)
  t.strictSame((await plane.call('GET', '/v1/checks')).body, [])
})

t.test('beside the form of a new check, by those who may write checks', async (t) => {
  const plane = await testApp(t)
  const target = await httpServer(t, (_request, response) => response.end('fine'))
  const cookie = await sessionOf(plane)
  const path = '/app/do/post/v1/checks/url'
  const form = {
    'body.name': 'Shop',
    'body.request.url': target.origin,
    'body.privateLocations[]': 'local',
    'body.maxResponseTime': '4000',
    'body.request.assertions.0._row': '1',
    'body.request.assertions.0.source': 'STATUS_CODE',
    'body.request.assertions.0.comparison': 'EQUALS',
    'body.request.assertions.0.target': '200',
    _do: 'try',
  }
  const page = await whileServed(plane, () => visitPage(plane, cookie, path, form))
  t.equal(page.status, 200)
  t.match(page.text, 'Tried just now, from local')
  t.match(page.text, /Passing<\/span> in [\d.]+ ms/)
  t.match(page.text, '✓ Status code equals 200')
  t.match(page.text, 'Nothing was stored, and nobody was told.')
  t.match(page.text, `value="${target.origin}"`, 'what was typed is still there')
  const wrong = await visitPage(plane, cookie, path, { ...form, 'body.request.url': 'shop' })
  t.match(wrong.text, 'It was not tried')
  t.match(wrong.text, 'Address: has to be an address that begins with http:// or https://')
  const reader = await sessionOf(plane, 'READ_RUN')
  t.equal((await visitPage(plane, reader, path, form)).status, 403)
  t.strictSame((await plane.call('GET', '/v1/checks')).body, [])
})
