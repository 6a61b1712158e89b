/** What clients read that no other test asks for: static addresses of locations, and checks as version 3 shows them. */
import t from 'tap'
import { readConfig } from '../../control-plane/read-config.ts'
import { testApp } from '../support/app.ts'

const configured = 'eu-west-1=192.0.2.10, eu-west-1=2001:db8::/64,office=198.51.100.0/28,office=192.0.2.10'

t.test('static addresses are those that the operator says, without a key', async (t) => {
  const { call } = await testApp(t, { env: { LOCATION_ADDRESSES: configured } })
  const cases: Array<[path: string, answer: unknown]> = [
    ['/v1/static-ips', ['192.0.2.10', '198.51.100.0/28']],
    ['/v1/static-ips-by-region', { 'eu-west-1': ['192.0.2.10'], office: ['198.51.100.0/28', '192.0.2.10'] }],
    ['/v1/static-ipv6s', ['2001:db8::/64']],
    ['/v1/static-ipv6s-by-region', { 'eu-west-1': ['2001:db8::/64'] }],
  ]
  for (const [path, answer] of cases) {
    const read = await call('GET', path, { key: null })
    t.equal(read.status, 200, path)
    t.strictSame(read.body, answer, path)
  }
  const text = await call('GET', '/v1/static-ips.txt', { key: null })
  t.equal(text.text, '192.0.2.10\n198.51.100.0/28\n')
  t.match(text.headers.get('content-type'), /^text\/plain/)
})

t.test('where nothing is said there are none', async (t) => {
  const { call } = await testApp(t)
  t.strictSame((await call('GET', '/v1/static-ips', { key: null })).body, [])
  t.strictSame((await call('GET', '/v1/static-ips-by-region', { key: null })).body, {})
  t.equal((await call('GET', '/v1/static-ipv6s.txt', { key: null })).text, '')
})

t.test('what is no address stops the start', async (t) => {
  for (const wrong of ['eu-west-1', 'eu-west-1=', 'eu-west-1=localhost', '=192.0.2.1', 'a=192.0.2.1/99'])
    t.throws(() => readConfig({ LOCATION_ADDRESSES: wrong }), /LOCATION_ADDRESSES/, wrong)
})

t.test('version 3 of checks has the intent as one list', async (t) => {
  const { call } = await testApp(t)
  const request = { url: 'https://example.com/' }
  const intent = { goal: 'People can buy', requiredOutcomes: ['An order'], mustPreserve: ['The price'] }
  const plain = await call('POST', '/v1/checks/url', { body: { name: 'a', request } })
  const meant = await call('POST', '/v1/checks/url', { body: { name: 'b', request, intent } })
  const shown = {
    goal: 'People can buy',
    constraints: [
      { type: 'REQUIRED_OUTCOME', statement: 'An order' },
      { type: 'MUST_PRESERVE', statement: 'The price' },
    ],
  }
  const one = await call('GET', `/v3/checks/${meant.body.id}`)
  const { intent: _, ...rest } = (await call('GET', `/v1/checks/${meant.body.id}`)).body
  t.strictSame(one.body, { ...rest, intent: shown })
  t.ok(one.headers.get('etag'))
  t.equal((await call('GET', `/v3/checks/${plain.body.id}`)).body.intent, null)
  const list = await call('GET', '/v3/checks?limit=1&page=2')
  t.match(list.body, [{ id: meant.body.id, intent: shown }])
  t.match(list.headers.get('link') ?? list.headers.get('content-range'), /v3\/checks|2/)
})
