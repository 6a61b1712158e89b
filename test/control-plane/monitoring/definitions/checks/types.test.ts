import t from 'tap'
import { checkKinds } from '../../../../../control-plane/monitoring/definitions/checks/types/index.ts'
import { isRunnable } from '../../../../../protocol/check-type.ts'
import { testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'

type Violation = { path: string; rule: string }
type Body = Record<string, unknown>

const kinds = Object.values(checkKinds)
const fast = { source: 'LATENCY', comparison: 'LESS_THAN', target: '100' }

for (const engine of engineNames)
  t.test(`a check of every type lives: created, read, listed, changed, deleted (${engine})`, async (t) => {
    const { app, call, advance } = await testApp(t, { engine })
    for (const kind of kinds) {
      const created = await call('POST', `/v1/checks/${kind.path}`, { body: kind.example })
      t.equal(created.status, 201, created.text)
      const { warnings, ...answered } = created.body
      t.equal(
        warnings !== undefined,
        kind.scheduled && (!isRunnable(kind.type) || kind.neededSettings !== undefined),
        'of what no agent can run it warns',
      )
      t.match(answered, { name: kind.example['name'], checkType: kind.type, updated_at: null })
      const { id } = answered
      const read = await call('GET', `/v1/checks/${id}?includeDependencies=true`)
      t.match(read.body, answered, `${kind.type}: what was answered is what is there`)
      for (const field of Object.keys(kind.fields)) t.ok(field in read.body, `${kind.type} shows ${field}`)
      t.strictSame((await call('GET', `/v2/checks/${id}?includeDependencies=true`)).body, read.body)
      t.match((await call('GET', `/v1/checks?checkType=${kind.type}`)).body, [{ id }])
      advance(1000)
      const path = `/v1/checks/${kind.path}/${id}`
      const changed = await call('PUT', path, { body: { name: 'renamed' } })
      t.equal(changed.status, 200, changed.text)
      t.equal(changed.body.updated_at, new Date(app.clock.now()).toISOString())
      const expected = { ...read.body, name: 'renamed', updated_at: null }
      const { warnings: _, ...shown } = changed.body
      t.strictSame({ ...shown, updated_at: null }, expected, 'only the name changed')
      const other = kinds.find(({ type }) => type !== kind.type)
      t.equal((await call('PUT', `/v1/checks/${other?.path}/${id}`, { body: {} })).status, 404)
      t.equal((await call('DELETE', `/v1/checks/${id}`)).status, 204)
      t.equal((await call('GET', `/v1/checks/${id}`)).status, 404)
    }
  })

const example = (path: string): Body => kinds.find((kind) => kind.path === path)?.example ?? {}
const withRequest = (path: string, more: Body): Body => ({
  request: { ...(example(path)['request'] as Body), ...more },
})
const heartbeat = { period: 60, grace: 0 }
const ssl = (config: Body): Body => ({ request: { sslConfig: { hostname: 'a.example', ...config } } })
const sslAsserts = (source: string, property: string, comparison: string): Body =>
  withRequest('ssl', { assertions: [{ source, property, comparison, target: 'x' }] })
const serving = (target: string) => ({ source: 'GRPC_HEALTHCHECK_STATUS', comparison: 'EQUALS', target })

const refused: Array<[string, Body, string]> = [
  ['api', { request: undefined }, 'request required'],
  ['api', withRequest('api', { method: 'OPTIONS' }), 'request.method enum'],
  ['api', withRequest('api', { method: undefined }), 'request.method required'],
  ['api', withRequest('api', { url: 'ftp://example.com' }), 'request.url pattern'],
  ['api', withRequest('api', { url: `https://${'x'.repeat(2048)}` }), 'request.url maxLength'],
  ['api', withRequest('api', { bodyType: 'XML' }), 'request.bodyType enum'],
  ['api', withRequest('api', { headers: [{ value: 'x' }] }), 'request.headers.0.key required'],
  [
    'api',
    withRequest('api', { queryParameters: [{ key: 'x' }] }),
    'request.queryParameters.0.value required',
  ],
  ['api', withRequest('api', { basicAuth: { username: 'u' } }), 'request.basicAuth.password required'],
  [
    'api',
    withRequest('api', { assertions: [{ source: 'LATENCY', comparison: 'EQUALS' }] }),
    'request.assertions.0.source enum',
  ],
  ['api', { maxResponseTime: 30_001 }, 'maxResponseTime maximum'],
  ['api', { degradedResponseTime: 20_001 }, 'degradedResponseTime order'],
  ['api', { setupSnippetId: 77 }, 'setupSnippetId exists'],
  ['api', { tearDownSnippetId: 77 }, 'tearDownSnippetId exists'],
  ['api', { scriptPath: 'a.ts' }, 'scriptPath additionalProperties'],
  ['url', { degradedResponseTime: 5000, maxResponseTime: 4999 }, 'degradedResponseTime order'],
  ['url', { groupId: 77 }, 'groupId exists'],
  [
    'url',
    { alertChannelSubscriptions: [{ alertChannelId: 77 }] },
    'alertChannelSubscriptions.0.alertChannelId exists',
  ],
  ['url', { triggerIncident: { serviceId: 'x', name: 'down' } }, 'triggerIncident.serviceId exists'],
  ['tcp', { request: { port: 1 } }, 'request.hostname required'],
  ['tcp', withRequest('tcp', { url: 'a.example.com' }), 'request.url one'],
  ['tcp', withRequest('tcp', { data: 'a', body: 'b' }), 'request.body one'],
  ['tcp', withRequest('tcp', { hostname: 'tcp://db.example.com' }), 'request.hostname pattern'],
  ['tcp', withRequest('tcp', { port: 65_536 }), 'request.port maximum'],
  ['tcp', withRequest('tcp', { port: 0 }), 'request.port minimum'],
  ['tcp', withRequest('tcp', { data: 1 }), 'request.data type'],
  ['tcp', { maxResponseTime: 5001 }, 'maxResponseTime maximum'],
  [
    'tcp',
    withRequest('tcp', { assertions: [{ source: 'RESPONSE_DATA', comparison: 'IS_NULL' }] }),
    'request.assertions.0.comparison enum',
  ],
  ['dns', withRequest('dns', { recordType: 'ANY' }), 'request.recordType enum'],
  ['dns', withRequest('dns', { query: 'x'.repeat(101) }), 'request.query maxLength'],
  ['dns', withRequest('dns', { protocol: 'DOH' }), 'request.protocol enum'],
  ['dns', { maxResponseTime: 5001 }, 'maxResponseTime maximum'],
  ['dns', { degradedResponseTime: 1001 }, 'degradedResponseTime order'],
  ['icmp', withRequest('icmp', { pingCount: 51 }), 'request.pingCount maximum'],
  ['icmp', withRequest('icmp', { hostname: undefined }), 'request.hostname required'],
  [
    'icmp',
    withRequest('icmp', { assertions: [{ source: 'LATENCY', comparison: 'HAS_KEY' }] }),
    'request.assertions.0.comparison enum',
  ],
  [
    'icmp',
    withRequest('icmp', {
      assertions: ['avg', 'median'].map((property) => ({ ...fast, property })),
    }),
    'request.assertions.1.property enum',
  ],
  ['icmp', { maxPacketLossThreshold: 0 }, 'maxPacketLossThreshold exclusiveMinimum'],
  ['icmp', { degradedPacketLossThreshold: 30 }, 'degradedPacketLossThreshold order'],
  ['ssl', { request: { sslConfig: {} } }, 'request.sslConfig.hostname required'],
  ['ssl', ssl({ handshakeTimeoutMs: 999 }), 'request.sslConfig.handshakeTimeoutMs minimum'],
  ['ssl', ssl({ alertDaysBeforeExpiry: 366 }), 'request.sslConfig.alertDaysBeforeExpiry maximum'],
  [
    'ssl',
    ssl({ securityBaseline: { minKeySizeBits: { value: 512 } } }),
    'request.sslConfig.securityBaseline.minKeySizeBits.value minimum',
  ],
  ['ssl', ssl({ clientCertificateMode: 'explicit' }), 'request.sslClientCertificateId required'],
  [
    'ssl',
    withRequest('ssl', { sslClientCertificateId: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11' }),
    'request.sslClientCertificateId exists',
  ],
  ['ssl', sslAsserts('CERTIFICATE', 'age', 'EQUALS'), 'request.assertions.0.property enum'],
  ['ssl', sslAsserts('CERTIFICATE', 'selfSigned', 'CONTAINS'), 'request.assertions.0.comparison enum'],
  ['ssl', sslAsserts('CONNECTION', 'tlsVersion', 'EQUALS'), 'request.assertions.0.target enum'],
  ['ssl', { frequency: 0 }, 'frequency enum'],
  ['grpc', withRequest('grpc', { grpcConfig: {} }), 'request.grpcConfig.method required'],
  [
    'grpc',
    withRequest('grpc', { grpcConfig: { method: 'a.B/C', serviceDefinition: 'PROTO_FILE' } }),
    'request.grpcConfig.protoContent required',
  ],
  [
    'grpc',
    withRequest('grpc', { grpcConfig: { encoding: 'FLATBUFFERS' } }),
    'request.grpcConfig.encoding enum',
  ],
  ['grpc', withRequest('grpc', { timeout: 181 }), 'request.timeout maximum'],
  ['grpc', withRequest('grpc', { url: 'https://orders.example.com' }), 'request.url pattern'],
  ['grpc', withRequest('grpc', { assertions: [serving('4')] }), 'request.assertions.0.target enum'],
  [
    'grpc',
    withRequest('grpc', { assertions: [{ ...serving('1'), comparison: 'LESS_THAN' }] }),
    'request.assertions.0.comparison enum',
  ],
  ['traceroute', withRequest('traceroute', { protocol: 'SCTP' }), 'request.protocol enum'],
  ['traceroute', withRequest('traceroute', { maxHops: 65 }), 'request.maxHops maximum'],
  [
    'traceroute',
    withRequest('traceroute', {
      assertions: [{ source: 'HOP_COUNT', comparison: 'NOT_EQUALS', target: '3' }],
    }),
    'request.assertions.0.comparison enum',
  ],
  [
    'traceroute',
    withRequest('traceroute', {
      assertions: [{ source: 'RESPONSE_TIME', property: 'median', comparison: 'LESS_THAN', target: '3' }],
    }),
    'request.assertions.0.property enum',
  ],
  ['browser', { script: undefined }, 'script required'],
  ['browser', { frequency: 0 }, 'frequency enum'],
  ['browser', { dependencies: [{ path: 'x'.repeat(1001), content: '' }] }, 'dependencies.0.path maxLength'],
  ['browser', { sslCheckDomain: 'https://example.com' }, 'sslCheckDomain pattern'],
  ['browser', { sslCheckDomain: 'localhost' }, 'sslCheckDomain pattern'],
  [
    'browser',
    { environmentVariables: Array.from({ length: 101 }, (_, i) => ({ key: `K${i}`, value: '' })) },
    'environmentVariables maxItems',
  ],
  [
    'browser',
    { environmentVariables: ['a', 'b', 'a'].map((key) => ({ key, value: '' })) },
    'environmentVariables.2.key unique',
  ],
  ['multistep', { script: null }, 'script type'],
  ['multistep', { frequency: 0 }, 'frequency enum'],
  ['playwright', { files: [{ path: 'package.json', content: '{}' }] }, 'files lockFile'],
  ['playwright', { files: [] }, 'files source'],
  ['playwright', { codeBundleId: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11' }, 'codeBundleId exists'],
  ['playwright', { testTags: [''] }, 'testTags.0 minLength'],
  ['playwright', { retryStrategy: { type: 'FIXED' } }, 'retryStrategy additionalProperties'],
  ['playwright', { engine: 'node@8' }, 'engine enum'],
  ['agentic', { prompt: '' }, 'prompt minLength'],
  ['agentic', { frequency: 2 }, 'frequency enum'],
  ['heartbeat', { heartbeat: undefined }, 'heartbeat required'],
  ['heartbeat', { script: 1 }, 'script type'],
  ['heartbeat', { heartbeat: { grace: 1 } }, 'heartbeat.period required'],
  ['heartbeat', { heartbeat: { ...heartbeat, period: 29 } }, 'heartbeat.period range'],
  ['heartbeat', { heartbeat: { ...heartbeat, period: 366, periodUnit: 'days' } }, 'heartbeat.period range'],
  ['heartbeat', { heartbeat: { ...heartbeat, grace: 8761, graceUnit: 'hours' } }, 'heartbeat.grace range'],
  ['heartbeat', { heartbeat: { ...heartbeat, grace: -1 } }, 'heartbeat.grace minimum'],
  ['heartbeat', { heartbeat: { ...heartbeat, periodUnit: 'weeks' } }, 'heartbeat.periodUnit enum'],
  ['heartbeat', { heartbeat: { ...heartbeat, pingUrls: 'x' } }, 'heartbeat.pingUrls additionalProperties'],
  ['heartbeat', { frequency: 1.5 }, 'frequency type'],
  ['heartbeat', { frequencyOffset: 0 }, 'frequencyOffset minimum'],
  ['heartbeat', { maxResponseTime: 300_001 }, 'maxResponseTime maximum'],
  ['heartbeat', { description: 'x'.repeat(501) }, 'description maxLength'],
]

t.test('every bound and rule of a type is held, and the answer names the field', async (t) => {
  const { call } = await testApp(t)
  for (const [path, fields, expected] of refused) {
    const answer = await call('POST', `/v1/checks/${path}`, { body: { ...example(path), ...fields } })
    t.equal(answer.status, 400, `${path} ${expected}: ${answer.text}`)
    const broken =
      answer.body.attributes?.violations?.map(({ path, rule }: Violation) => `${path} ${rule}`) ?? []
    t.ok(broken.includes(expected), `${path}: ${expected} in ${broken}`)
  }
  t.strictSame((await call('GET', '/v1/checks')).body, [], 'nothing was created')
})

const accepted: Array<[string, Body]> = [
  [
    'api',
    withRequest('api', { url: '{{GROUP_BASE_URL}}/orders', basicAuth: { username: 'u', password: 'p' } }),
  ],
  ['api', { localSetupScript: 'a()', localTearDownScript: null, frequency: 0, frequencyOffset: 30 }],
  ['tcp', { request: { url: 'db.example.com', port: 1, body: 'PING' } }],
  ['dns', withRequest('dns', { nameServer: '10.0.0.1', port: 5353, protocol: 'TCP' })],
  ['icmp', { degradedPacketLossThreshold: null, maxPacketLossThreshold: 100 }],
  [
    'icmp',
    withRequest('icmp', {
      assertions: ['', 'avg', 'min', 'max', 'stdDev', 'stddev'].map((property) => ({ ...fast, property })),
    }),
  ],
  [
    'browser',
    { script: null, scriptPath: 'tests/a.spec.ts', frequency: 1440, sslCheckDomain: 'a.example.com' },
  ],
  ['browser', { dependencies: null, environmentVariables: null, runtimeId: '2022.10' }],
  ['ssl', ssl({ clientCertificateMode: 'auto', securityBaseline: { enabled: false } })],
  ['ssl', sslAsserts('JSON_RESPONSE', '$.chain.length', 'GREATER_THAN')],
  [
    'grpc',
    withRequest('grpc', {
      grpcConfig: { method: 'a.B/C', metadata: [{ key: 'authorization', value: '{{TOKEN}}', locked: true }] },
      assertions: [serving('1')],
    }),
  ],
  ['traceroute', withRequest('traceroute', { protocol: 'ICMP', maxHops: 64, timeout: 30 })],
  ['multistep', { frequency: 1, retryStrategy: { type: 'SINGLE_RETRY' } }],
  ['agentic', { frequency: 5 }],
  ['heartbeat', { heartbeat: { period: 30, grace: 0 }, frequency: 7, frequencyOffset: 500 }],
  [
    'heartbeat',
    { heartbeat: { period: 365, periodUnit: 'days', grace: 365, graceUnit: 'days' }, request: { a: 1 } },
  ],
]

t.test('what is just within the bounds is taken, stored and shown', async (t) => {
  const { call } = await testApp(t)
  for (const [path, fields] of accepted) {
    const { status, body, text } = await call('POST', `/v1/checks/${path}`, {
      body: { ...example(path), ...fields },
    })
    t.equal(status, 201, text)
    const read = await call('GET', `/v1/checks/${body.id}?includeDependencies=true`)
    const { dependencies, ...rest } = fields
    t.match(read.body, rest, path)
    if (dependencies === null) t.strictSame(read.body.dependencies, [])
  }
})

t.test('the defaults of thresholds and frequencies, by type', async (t) => {
  const { call } = await testApp(t)
  const expected: Array<[string, Body]> = [
    ['api', { frequency: 10, degradedResponseTime: 5000, maxResponseTime: 20_000 }],
    ['url', { degradedResponseTime: 3000, maxResponseTime: 5000 }],
    ['tcp', { frequency: 10, degradedResponseTime: 3000, maxResponseTime: 5000 }],
    ['dns', { frequency: 10, degradedResponseTime: 500, maxResponseTime: 1000 }],
    ['icmp', { frequency: 10, degradedPacketLossThreshold: 10, maxPacketLossThreshold: 20 }],
    ['browser', { frequency: 10, scriptPath: null, environmentVariables: [] }],
    ['agentic', { frequency: 30 }],
    [
      'heartbeat',
      { frequency: 10, degradedResponseTime: 10_000, maxResponseTime: 20_000, frequencyOffset: null },
    ],
  ]
  for (const [path, fields] of expected) {
    const { body } = await call('POST', `/v1/checks/${path}`, { body: example(path) })
    t.match((await call('GET', `/v1/checks/${body.id}`)).body, fields, path)
  }
})

t.test(
  'the files of a script are shown where they are asked for, and stay when they are not sent',
  async (t) => {
    const { call } = await testApp(t)
    const dependencies = [{ path: 'lib/a.ts', content: 'export const a = 1' }]
    const created = await call('POST', '/v1/checks/browser', {
      body: { ...example('browser'), dependencies },
    })
    t.strictSame(created.body.dependencies, dependencies)
    const { id } = created.body
    t.notOk('dependencies' in (await call('GET', `/v1/checks/${id}`)).body)
    t.notOk('dependencies' in (await call('GET', '/v1/checks')).body[0])
    t.strictSame(
      (await call('PUT', `/v1/checks/browser/${id}`, { body: { name: 'x' } })).body.dependencies,
      dependencies,
    )
    t.strictSame(
      (await call('PUT', `/v1/checks/browser/${id}`, { body: { dependencies: null } })).body.dependencies,
      [],
    )
  },
)

t.test(
  'the creation of a heartbeat is answered with the fields of the contract, and no others',
  async (t) => {
    const { call } = await testApp(t)
    const { body } = await call('POST', '/v1/checks/heartbeat', {
      body: { name: 'backup', heartbeat, script: '', description: 'd', tags: ['a'] },
    })
    t.strictSame(
      Object.keys(body).sort(),
      [
        'activated',
        'alertChannelSubscriptions',
        'alertChannels',
        'alertSettings',
        'checkType',
        'created_at',
        'dependsOn',
        'description',
        'heartbeat',
        'id',
        'muted',
        'name',
        'runParallel',
        'tags',
        'triggerIncident',
        'updated_at',
        'useGlobalAlertSettings',
      ].sort(),
    )
    const { pingToken } = body.heartbeat
    t.strictSame(body.heartbeat, {
      period: 60,
      periodUnit: 'seconds',
      grace: 0,
      graceUnit: 'seconds',
      pingToken,
      pingUrl: `http://localhost:8080/ping/${pingToken}`,
    })
    const path = `/v1/checks/heartbeat/${body.id}`
    const changed = await call('PUT', path, { body: { heartbeat: { ...heartbeat, period: 90 } } })
    t.match(changed.body.heartbeat, { period: 90, pingToken }, 'the token stays')
    const taken = await call('POST', '/v1/checks/heartbeat', {
      body: { name: 'other', script: '', heartbeat: { ...heartbeat, pingToken } },
    })
    t.match(taken.body.attributes.violations, [{ path: 'heartbeat.pingToken', rule: 'unique' }])
  },
)

for (const engine of engineNames)
  t.test(
    `a heartbeat is never due; its timer follows what is saved and goes with it (${engine})`,
    async (t) => {
      const { call, app } = await testApp(t, { engine })
      const { body } = await call('POST', '/v1/checks/heartbeat', {
        body: { name: 'x', heartbeat, script: '', locations: ['eu-west-1'] },
      })
      const timers = () => app.db.select((k) => k.selectFrom('heartbeats').select(['period_ms', 'activated']))
      t.strictSame(await timers(), [{ period_ms: 60_000, activated: true }])
      t.strictSame(await app.db.select((k) => k.selectFrom('schedules').select('check_id')), [])
      await call('PUT', `/v1/checks/heartbeat/${body.id}`, { body: { activated: false } })
      t.match(await timers(), [{ activated: false }])
      await call('DELETE', `/v1/checks/${body.id}`)
      t.strictSame(await timers(), [])
    },
  )
