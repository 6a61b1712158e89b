/** gRPC checks of real servers: unary calls by reflection and by a .proto file, and the health service. */
import http2 from 'node:http2'
import tls from 'node:tls'
import grpc from '@grpc/grpc-js'
import t, { type Test } from 'tap'
import { grpcRunner, runGrpc } from '../../../agent/checks/grpc.ts'
import { parseProxy } from '../../../agent/net/connect/proxy-server.ts'
import type { RealIo } from '../../../agent/program/real-io.ts'
import type { GrpcSpec } from '../../../protocol/checks/grpc.ts'
import { GrpcCheckResult } from '../../../protocol/checks/grpc-result.ts'
import type { Job } from '../../../protocol/job.ts'
import { agentIo } from '../../support/agent-io.ts'
import { createAuthority } from '../../support/certificates.ts'
import { urlJob } from '../../support/fake-control-plane.ts'
import { fitsProtocol } from '../../support/fits-protocol.ts'
import { shopProto, shopServer } from '../../support/grpc-server.ts'
import { missing, tinyproxy } from '../../support/proxies.ts'
import { runContext } from '../../support/run-context.ts'
import { closedPort, httpServer, httpsServer, listening, tcpServer } from '../../support/servers.ts'

const fits = fitsProtocol(GrpcCheckResult)

type Change = Partial<GrpcSpec['request']> & { shouldFail?: boolean }
type More = { io?: RealIo; variables?: Job['variables'] }

const run = async (
  t: Test,
  port: number,
  { shouldFail = false, ...change }: Change = {},
  { io = agentIo(), variables = [] }: More = {},
) => {
  const request: GrpcSpec['request'] = {
    ...{ hostname: '127.0.0.1', port, ipFamily: 'IPv4', skipSSL: false, timeout: 30, mode: 'BEHAVIOR' },
    ...{ tls: false, metadata: [], serviceDefinition: 'REFLECTION', method: 'shop.v1.Shop/GetOrder' },
    ...{ protoContent: '', message: '', service: '', assertions: [] },
    ...change,
  }
  const job = { ...urlJob('', { checkType: 'GRPC' }), variables, spec: { request, shouldFail } }
  return fits(t, await runGrpc(job, io, runContext(io, new AbortController().signal)))
}

const asserted = (
  source: GrpcSpec['request']['assertions'][number]['source'],
  target: string,
  property = '',
) => ({ source, property, comparison: 'EQUALS' as const, target })

const whole = JSON.stringify({
  ...{ id: 'a-1', number: '9007199254740993', token: 'AAE=', since: '2026-01-01T00:00:00Z' },
  lines: { first: { skuCode: 'book', count: 2 } },
})

t.test('a unary call by reflection, its answer as JSON', async (t) => {
  const port = await shopServer(t)
  const { failure, detail, assertions, metrics, responseTime } = await run(t, port, {
    message: whole,
    metadata: [{ key: 'X-Tenant', value: 'north' }],
    assertions: [
      asserted('GRPC_STATUS_CODE', '0'),
      asserted('GRPC_RESPONSE', 'a-1', '$.id'),
      asserted('GRPC_RESPONSE', '9007199254740993', '$.number'),
      asserted('GRPC_RESPONSE', 'PAID', '$.state'),
      asserted('GRPC_RESPONSE', 'book', '$.lines[0].skuCode'),
      asserted('GRPC_RESPONSE', '2026-01-01T00:00:00Z', '$.paidAt'),
      asserted('TEXT_BODY', 'PAID', '"state":"(\\w+)"'),
      asserted('GRPC_METADATA', 'shop for north', 'x-served-by'),
      { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '60000' },
    ],
  })
  t.equal(failure, null)
  t.strictSame(
    assertions.filter(({ passed }) => !passed),
    [],
  )
  t.match(detail, {
    request: { host: '127.0.0.1', port, tls: false, grpcMethod: 'shop.v1.Shop/GetOrder' },
    grpcStatusCode: 0,
    healthStatus: null,
    timingPhases: { dns: 0, tls: null },
    response: {
      resolvedIp: '127.0.0.1',
      truncated: false,
      discoveredMethods: ['shop.v1.Shop/GetOrder', 'shop.v1.Shop/Watch'],
      metadata: [{ key: 'content-type' }],
    },
  })
  const { call, reflection, total } = detail.timingPhases
  t.equal(responseTime, Math.round(Number(call)), 'what is measured is the call')
  t.ok(Number(total) >= Number(call) + Number(reflection))
  t.ok(Number(metrics['call']) > 0)
})

t.test('a .proto file says the same to a server without reflection', async (t) => {
  const port = await shopServer(t, { reflection: false })
  const own = { serviceDefinition: 'PROTO_FILE', protoContent: shopProto, message: whole } as const
  const { failure, detail } = await run(t, port, own)
  t.equal(failure, null)
  t.match(JSON.parse(detail.response?.responseMessage ?? ''), {
    ...{ id: 'a-1', number: '9007199254740993', state: 'PAID', paidAt: '2026-01-01T00:00:00Z' },
    lines: [{ skuCode: 'book', count: 2 }],
  })
  t.equal(detail.timingPhases.reflection, null)
  t.match((await run(t, port)).failure, {
    code: 'REFLECTION_FAILED',
    message: /does not describe shop.v1.Shop: it does not offer reflection/,
  })
  const cases = [
    [{ protoContent: 'syntax = "proto3"; message {' }, 'INVALID_PROTO'],
    [{ protoContent: 'syntax = "proto3"; import "other.proto";' }, 'INVALID_PROTO'],
    [
      { protoContent: 'syntax = "proto3"; service Shop { rpc Get(Missing) returns (Missing); }' },
      'INVALID_PROTO',
    ],
    [{ method: 'shop.v1.Shop/Delete' }, 'UNKNOWN_METHOD'],
    [{ method: 'shop.v1.Shop/Watch' }, 'NOT_UNARY'],
    [{ method: 'Shop' }, 'INVALID_METHOD'],
    [{ message: '{"nothing":1}' }, 'INVALID_MESSAGE'],
    [{ message: '{' }, 'INVALID_MESSAGE'],
  ] as const
  for (const [change, code] of cases)
    t.match(
      (await run(t, port, { ...own, ...change })).failure,
      { code, network: false },
      JSON.stringify(change),
    )
})

t.test(
  'a status that is not OK fails, unless an assertion is about it or the call should fail',
  async (t) => {
    const port = await shopServer(t, {
      getOrder: (_, answer) => answer({ code: grpc.status.NOT_FOUND, details: 'no order “a-1”' }),
    })
    const failed = await run(t, port)
    t.match(failed.failure, {
      code: 'GRPC_STATUS',
      message: 'The call ended with status 5 (NOT_FOUND): no order “a-1”',
    })
    t.match(failed.detail, {
      grpcStatusCode: 5,
      response: { responseMessage: '', grpcStatusMessage: 'no order “a-1”' },
    })
    t.equal((await run(t, port, { shouldFail: true })).failure, null)
    const wanted = await run(t, port, { assertions: [asserted('GRPC_STATUS_CODE', '5')] })
    t.match(wanted, { failure: null, assertions: [{ passed: true }] })
  },
)

t.test('the health service is asked for the server, or for one service', async (t) => {
  const port = await shopServer(t, { health: { '': 'SERVING', 'shop.v1.Shop': 'NOT_SERVING' } })
  const health = (change: Change = {}) => run(t, port, { mode: 'HEALTH', method: '', ...change })
  t.match(await health(), {
    failure: null,
    detail: { healthStatus: 1, grpcStatusCode: 0, response: { healthStatusLabel: 'SERVING' } },
  })
  t.match((await health({ service: 'shop.v1.Shop' })).failure, {
    code: 'NOT_SERVING',
    message: 'The service shop.v1.Shop says that it is NOT_SERVING',
  })
  t.match(await health({ service: 'other' }), {
    failure: { code: 'NOT_SERVING', message: /SERVICE_UNKNOWN/ },
    detail: { healthStatus: 3, grpcStatusCode: 5 },
  })
  const meant = { service: 'shop.v1.Shop', assertions: [asserted('GRPC_HEALTHCHECK_STATUS', '2')] }
  t.match(await health(meant), { failure: null, assertions: [{ passed: true, actual: 2 }] })
  t.ok(grpcRunner.isRepeatable({ spec: { request: { mode: 'HEALTH' } } } as Job))
  t.notOk(grpcRunner.isRepeatable({ spec: { request: { mode: 'BEHAVIOR' } } } as Job))
})

t.test('variables stand in metadata and message, and what is not set is said', async (t) => {
  const port = await shopServer(t)
  const variables = [{ key: 'TENANT', value: 'a "b"', secret: true }]
  const change = {
    metadata: [{ key: 'x-tenant', value: '{{TENANT}}' }],
    message: '{"id":"{{CHECK_NAME}}"}',
    assertions: [asserted('GRPC_METADATA', 'shop for a "b"', 'x-served-by')],
  }
  const { failure, assertions, detail } = await run(t, port, change, { variables })
  t.equal(failure, null)
  t.match(assertions, [{ passed: true }])
  t.equal(detail.request.message, change.message, 'a result shows it as it is written')
  t.match((await run(t, port, change)).failure, {
    code: 'UNKNOWN_VARIABLE',
    message: /TENANT in the metadata/,
  })
})

t.test('TLS and client certificates', async (t) => {
  const authority = createAuthority()
  const credentials = authority.issue({ altName: 'IP:127.0.0.1' })
  const io = agentIo({ extraCaCerts: authority.pem })
  const secure = await shopServer(t, { credentials })
  const { failure, detail } = await run(t, secure, { tls: true }, { io })
  t.equal(failure, null)
  t.ok(Number(detail.timingPhases.tls) > 0)
  t.match((await run(t, secure, { tls: true })).failure, { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })
  t.equal((await run(t, secure, { tls: true, skipSSL: true })).failure, null)
  t.match((await run(t, secure)).failure, { network: true }, 'without TLS it is no answer')

  const mutual = await shopServer(t, { credentials, clientAuthority: authority.pem })
  t.match((await run(t, mutual, { tls: true }, { io })).failure, { network: true })
  const own = authority.issue({ altName: 'DNS:client' })
  const context = tls.createSecureContext({ ...own, ca: authority.pem })
  const egressRoute = { proxy: null, certificate: { host: '127.0.0.1', context } }
  t.equal((await run(t, mutual, { tls: true }, { io: { ...io, egressRoute } })).failure, null)

  const old = await httpsServer(t, credentials, (_, response) => response.end())
  t.match((await run(t, old.port, { tls: true }, { io })).failure, {
    code: 'NOT_HTTP2',
    message: /does not offer HTTP\/2/,
  })
})

t.test('what is no gRPC is said as what it is', async (t) => {
  t.match((await run(t, await closedPort())).failure, { code: 'ECONNREFUSED', network: true })
  const http1 = await httpServer(t, (_, response) => response.end())
  t.match((await run(t, http1.port, { mode: 'HEALTH' })).failure, { code: 'NOT_HTTP2' })
  const closing = await tcpServer(t, (socket) => socket.once('data', () => socket.destroy()))
  t.match((await run(t, closing.port, { mode: 'HEALTH' })).failure, { code: 'ECONNRESET', network: true })
  const silent = await tcpServer(t, () => undefined)
  t.match((await run(t, silent.port, { mode: 'HEALTH', timeout: 1 })).failure, {
    code: 'TIMEOUT',
    message: /had not answered when the limit of 1 s was over/,
  })
  const speaking = async (answer: (stream: http2.ServerHttp2Stream) => void) => {
    const server = http2.createServer()
    server.on('stream', (stream) => {
      stream.on('error', () => undefined)
      answer(stream)
    })
    server.on('session', (session) => session.on('error', () => undefined))
    return (await listening(t, server, 'http')).port
  }
  const web = await speaking((stream) => {
    stream.respond({ ':status': 404 })
    stream.end('not here')
  })
  t.match((await run(t, web, { mode: 'HEALTH' })).failure, {
    message: /did not answer as gRPC does: status 404/,
  })
  const large = await speaking((stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' })
    stream.end(Buffer.alloc(3 * 1024 * 1024))
  })
  t.match((await run(t, large, { mode: 'HEALTH' })).failure, { code: 'ANSWER_TOO_LARGE' })
  const nonsense = await speaking((stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(Buffer.from([0, 0, 0, 0, 3, 0xff, 0xff, 0xff]))
  })
  t.match((await run(t, nonsense)).failure, {
    code: 'REFLECTION_FAILED',
    message: /its answer cannot be read/,
  })
  const proto = { serviceDefinition: 'PROTO_FILE', protoContent: shopProto } as const
  t.match((await run(t, nonsense, proto)).failure, { code: 'INVALID_ANSWER' })
  const blocked = agentIo({ blockedNetworks: ['127.0.0.0/8'] })
  t.match((await run(t, web, {}, { io: blocked })).failure, { code: 'BLOCKED_BY_POLICY' })
})

t.test('the proxy of the location is gone through', { skip: missing('tinyproxy') }, async (t) => {
  const { url } = await tinyproxy(t)
  const io = { ...agentIo(), egressRoute: { proxy: parseProxy(url), certificate: null } }
  t.equal((await run(t, await shopServer(t), {}, { io })).failure, null)
})
