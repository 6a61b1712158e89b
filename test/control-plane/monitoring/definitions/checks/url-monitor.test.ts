import t from 'tap'
import { testApp } from '../../../../support/app.ts'

const request = { url: 'https://example.com/' }
type Violation = { path: string; rule: string; message: string }

t.test('every rule of the contract’s tables that a URL monitor can break', async (t) => {
  const { call } = await testApp(t)
  const refused: Array<[Record<string, unknown>, string]> = [
    [{ name: undefined }, 'name required'],
    [{ name: '' }, 'name minLength'],
    [{ name: 1 }, 'name type'],
    [{ request: undefined }, 'request required'],
    [{ request: {} }, 'request.url required'],
    [{ request: { url: 'file:///etc/passwd' } }, 'request.url pattern'],
    [{ request: { ...request, method: 'POST' } }, 'request.method enum'],
    [{ request: { ...request, ipFamily: 'IPv5' } }, 'request.ipFamily enum'],
    [{ request: { ...request, body: 'x' } }, 'request.body additionalProperties'],
    [
      { request: { ...request, assertions: [{ source: 'JSON_BODY', comparison: 'EQUALS' }] } },
      'request.assertions.0.source enum',
    ],
    [
      { request: { ...request, assertions: [{ source: 'STATUS_CODE', comparison: 'CONTAINS' }] } },
      'request.assertions.0.comparison enum',
    ],
    [{ activated: 'yes' }, 'activated type'],
    [{ locations: ['mars-1'] }, 'locations.0 enum'],
    [{ locations: ['eu-west-1', 'eu-west-1'] }, 'locations uniqueItems'],
    [{ privateLocations: ['nowhere'] }, 'privateLocations exists'],
    [{ tags: [1] }, 'tags.0 type'],
    [{ frequency: 3 }, 'frequency enum'],
    [{ frequency: -1 }, 'frequency enum'],
    [{ frequencyOffset: 0 }, 'frequencyOffset minimum'],
    [{ frequencyOffset: 1.5 }, 'frequencyOffset type'],
    [{ frequency: 0, frequencyOffset: 15 }, 'frequencyOffset range'],
    [{ frequency: 1, frequencyOffset: 11 }, 'frequencyOffset range'],
    [{ frequency: 120, frequencyOffset: 3 }, 'frequencyOffset range'],
    [{ degradedResponseTime: -1 }, 'degradedResponseTime minimum'],
    [{ degradedResponseTime: 30_001 }, 'degradedResponseTime maximum'],
    [{ maxResponseTime: 30_001 }, 'maxResponseTime maximum'],
    [{ description: 'x'.repeat(501) }, 'description maxLength'],
    [{ groupOrder: -1 }, 'groupOrder minimum'],
    [{ runtimeId: '2021.01' }, 'runtimeId enum'],
    [{ environmentVariables: [{ key: 'A', value: 'b' }] }, 'environmentVariables additionalProperties'],
    [{ ids: '1' }, 'ids additionalProperties'],
    [{ checkType: 'API' }, 'checkType const'],
    [{ alertSettings: { escalationType: 'OTHER' } }, 'alertSettings.escalationType enum'],
    [{ alertSettings: { reminders: { amount: 6 } } }, 'alertSettings.reminders.amount enum'],
    [{ retryStrategy: { maxRetries: 11 } }, 'retryStrategy.maxRetries maximum'],
    [{ retryStrategy: { onlyOn: ['RAIN'] } }, 'retryStrategy.onlyOn.0 enum'],
  ]
  for (const [fields, expected] of refused) {
    const answer = await call('POST', '/v1/checks/url', { body: { name: 'x', request, ...fields } })
    t.equal(answer.status, 400, `${expected}: ${answer.text}`)
    const broken = answer.body.attributes.violations.map(({ path, rule }: Violation) => `${path} ${rule}`)
    t.ok(broken.includes(expected), `${expected} in ${broken}`)
  }
  t.strictSame((await call('GET', '/v1/checks')).body, [], 'nothing was created')
})

t.test('bounds that are just right', async (t) => {
  const { call } = await testApp(t)
  const accepted: Array<Record<string, unknown>> = [
    { description: '💚'.repeat(500) },
    {
      description: null,
      groupId: null,
      groupOrder: 0,
      runtimeId: '2026.04',
      locations: null,
      privateLocations: null,
    },
    { degradedResponseTime: 0, maxResponseTime: 30_000 },
    { degradedResponseTime: null, maxResponseTime: null },
    { frequency: 0 },
    { frequency: 1440, frequencyOffset: 24 },
    { alertSettings: null, retryStrategy: null },
    { retryStrategy: { type: 'LINEAR', onlyOn: ['NETWORK_ERROR'] } },
    { checkType: 'URL' },
  ]
  for (const fields of accepted) {
    const answer = await call('POST', '/v1/checks/url', { body: { name: 'x', request, ...fields } })
    t.equal(answer.status, 201, answer.text)
    t.match(answer.body, {
      ...fields,
      ...('retryStrategy' in fields ? { retryStrategy: fields['retryStrategy'] } : {}),
    })
  }
})

t.test(
  'an offset that is left out is filled in, kept with its frequency and chosen anew for another one',
  async (t) => {
    const { call } = await testApp(t)
    const { body } = await call('POST', '/v1/checks/url', { body: { name: 'x', request } })
    t.equal(body.frequency, 10)
    t.ok(body.frequencyOffset >= 1 && body.frequencyOffset <= 100)
    const path = `/v1/checks/url/${body.id}`
    const daily = await call('PUT', path, { body: { frequency: 1440 } })
    t.ok(daily.body.frequencyOffset <= 24, daily.text)
    t.equal((await call('PUT', path, { body: { frequencyOffset: 25 } })).status, 400)
    t.equal((await call('PUT', path, { body: { frequencyOffset: 7 } })).body.frequencyOffset, 7)
    t.equal((await call('PUT', path, { body: { frequency: 1440, name: 'y' } })).body.frequencyOffset, 7)
    t.equal((await call('PUT', path, { body: { frequency: 0 } })).body.frequencyOffset, 10)
  },
)

t.test('If-Match: a change is made only to the version its author has seen', async (t) => {
  const { call } = await testApp(t)
  const created = await call('POST', '/v1/checks/url', { body: { name: 'x', request } })
  const path = `/v1/checks/url/${created.body.id}`
  const etag = created.headers.get('etag') ?? ''
  const put = (ifMatch: string, name: string) =>
    call('PUT', path, { body: { name }, headers: { 'if-match': ifMatch } })
  const first = await put(etag, 'first')
  t.equal(first.status, 200)
  t.not(first.headers.get('etag'), etag)
  t.equal((await put(etag, 'second')).status, 412)
  t.equal((await call('GET', `/v1/checks/${created.body.id}`)).body.name, 'first')
  t.equal((await put('*', 'third')).status, 200)
})

t.test('concurrent changes of different fields are all kept', async (t) => {
  for (const engine of ['sqlite', 'postgres'] as const) {
    const { call } = await testApp(t, { engine })
    const { id } = (await call('POST', '/v1/checks/url', { body: { name: 'x', request } })).body
    const changes = [
      { name: 'renamed' },
      { muted: true },
      { tags: ['a'] },
      { description: 'd' },
      { frequency: 30 },
    ]
    await Promise.all(changes.map((body) => call('PUT', `/v1/checks/url/${id}`, { body })))
    t.match((await call('GET', `/v1/checks/${id}`)).body, Object.assign({}, ...changes), engine)
  }
})

t.test('creating, pausing and deleting a check starts and stops its schedule', async (t) => {
  const { call, app } = await testApp(t)
  const jobs = async () => (await app.db.select((k) => k.selectFrom('jobs').select('id'))).length
  const schedules = () => app.db.select((k) => k.selectFrom('schedules').select(['period_ms']))
  const body = { name: 'x', request, privateLocations: ['local'], frequency: 0, frequencyOffset: 20 }
  const { id } = (await call('POST', '/v1/checks/url', { body })).body
  t.equal(await jobs(), 1, 'it runs at once')
  t.strictSame(await schedules(), [{ period_ms: 20_000 }])
  await call('PUT', `/v1/checks/url/${id}`, { body: { activated: false } })
  t.strictSame([await jobs(), await schedules()], [0, []])
  await call('PUT', `/v1/checks/url/${id}`, { body: { activated: true } })
  t.equal(await jobs(), 1, 'it runs at once again')
  await call('DELETE', `/v1/checks/${id}`)
  t.strictSame([await jobs(), await schedules()], [0, []])
})

t.test('a check without a location is kept and never due', async (t) => {
  const { call, app } = await testApp(t)
  t.equal((await call('POST', '/v1/checks/url', { body: { name: 'x', request } })).status, 201)
  t.strictSame(await app.db.select((k) => k.selectFrom('schedules').select('check_id')), [])
})

t.test('the list: paging headers, type and name filters', async (t) => {
  const { call, advance } = await testApp(t)
  t.equal((await call('GET', '/v1/checks')).headers.get('content-range'), '*/0')
  for (let i = 0; i < 11; i++) {
    await call('POST', '/v1/checks/url', {
      body: { name: i === 7 ? 'A 100% special_one' : `check ${i}`, request },
    })
    advance(1)
  }
  const first = await call('GET', '/v1/checks')
  t.equal(first.body.length, 10)
  t.equal(first.headers.get('content-range'), '0-9/11')
  t.match(first.headers.get('link'), /page=2>; rel="next".*page=2>; rel="last"/)
  const second = await call('GET', '/v1/checks?page=2')
  t.strictSame(
    second.body.map(({ name }: { name: string }) => name),
    ['check 10'],
  )
  t.equal(second.headers.get('content-range'), '10-10/11')
  t.notMatch(second.headers.get('link'), /next/)
  t.equal((await call('GET', '/v1/checks?search=SPECIAL_ONE')).body.length, 1)
  t.equal((await call('GET', `/v1/checks?search=${encodeURIComponent('0% s')}`)).body.length, 1)
  t.equal((await call('GET', '/v1/checks?search=c_eck')).body.length, 0, '_ is not a wildcard')
  t.equal((await call('GET', '/v1/checks?checkType=BROWSER')).body.length, 0)
  t.equal((await call('GET', '/v1/checks?checkType=URL&limit=100')).body.length, 11)
})
