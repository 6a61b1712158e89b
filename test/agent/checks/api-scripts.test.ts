// Runs in test:all only: it starts a process for each of many scripts.
import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import t, { type Test } from 'tap'
import { runJob } from '../../../agent/jobs/run-job.ts'
import type { RealIo } from '../../../agent/program/real-io.ts'
import type { ApiSpec } from '../../../protocol/checks/api.ts'
import { HttpCheckResult } from '../../../protocol/checks/http-result.ts'
import type { Job } from '../../../protocol/job.ts'
import { LogLine, type Outcome } from '../../../protocol/result.ts'
import { compile } from '../../../protocol/validate.ts'
import { agentIo } from '../../support/agent-io.ts'
import { apiRequest } from '../../support/api-request.ts'
import { createCanaries } from '../../support/canaries.ts'
import { urlJob } from '../../support/fake-control-plane.ts'
import { heldTimer } from '../../support/held-timer.ts'
import { closedPort, httpServer } from '../../support/servers.ts'
import { until } from '../../support/until.ts'

const validDetail = compile(HttpCheckResult)
const validLine = compile(LogLine)

type Change = Partial<ApiSpec['request']> & {
  setup?: string | string[]
  teardown?: string | string[]
  snippets?: ApiSpec['snippets']
  variables?: Job['variables']
  shouldFail?: boolean
  io?: RealIo
}

const scripts = (phase: string, codes: string | string[] = []): ApiSpec['setupScripts'] =>
  [codes].flat().map((code, index) => ({ name: `the ${phase} script ${index + 1}`, code }))

const scriptedJob = (url: string, change: Change): Job => {
  const { setup, teardown, snippets = [], variables = [], shouldFail = false, io: _, ...request } = change
  return urlJob('', {
    checkType: 'API',
    checkName: 'Orders',
    runtimeId: '2026.04',
    deadlineMs: 110_000,
    variables,
    spec: {
      request: apiRequest(url, request),
      shouldFail,
      setupScripts: scripts('setup', setup),
      tearDownScripts: scripts('teardown', teardown),
      snippets,
    },
  })
}

/** Runs the check as the agent does, and holds what would be reported to the wire's schemas. */
const run = async (t: Test, url: string, change: Change) => {
  const ran = await runJob(scriptedJob(url, change), change.io ?? agentIo(), new AbortController())
  const sent = JSON.parse(JSON.stringify(ran.outcome)) as Outcome
  if (sent.kind !== 'observed') throw new Error(JSON.stringify(sent))
  const detail = sent.observation.detail as HttpCheckResult
  t.same(validDetail(detail), { ok: true, value: detail }, 'the detail fits the protocol')
  for (const line of ran.log) t.ok(validLine({ ...line }).ok, 'each line fits the protocol')
  const jobLog = detail.jobLog as Record<string, LogLine[]>
  const said = Object.fromEntries(
    Object.entries(jobLog).map(([phase, lines]) => [phase, lines.map(({ level, msg }) => `${level} ${msg}`)]),
  )
  return { ...sent.observation, detail, said, log: ran.log.map(({ msg }) => msg) }
}

type Seen = { method: string; url: string; headers: IncomingHttpHeaders; body: string }

/** A server that remembers what it was asked. */
const listening = async (t: Test, answer = '{"id":7,"secret":"hide me"}') => {
  const seen: Seen[] = []
  const server = await httpServer(t, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      seen.push({ method, url, headers, body: Buffer.concat(parts).toString() })
      response.setHeader('content-type', 'application/json').end(answer)
    })
  })
  return { ...server, seen, last: () => seen.at(-1) as Seen }
}

t.test('a setup script signs the request that is sent', async (t) => {
  const server = await listening(t)
  const { failure, said, log } = await run(t, `${server.origin}/orders`, {
    method: 'POST',
    bodyType: 'JSON',
    body: '{"id":"{{$UUID}}","for":"{{CUSTOMER}}"}',
    variables: [
      { key: 'KEY', value: 'a-signing-key', secret: true },
      { key: 'CUSTOMER', value: 'c 1', secret: false },
    ],
    setup: `const { createHmac } = require('node:crypto')
const text = request.method + new URL(request.url).pathname + request.body
request.headers['x-signature'] = createHmac('sha256', process.env.KEY).update(text).digest('hex')
console.log('signed for', process.env.CUSTOMER, process.env.CHECK_NAME, REGION)`,
  })
  t.equal(failure, null)
  const { headers, body } = server.last()
  t.match(JSON.parse(body), { id: /^[0-9a-f-]{36}$/, for: 'c%201' })
  t.equal(headers['content-type'], 'application/json')
  t.equal(
    headers['x-signature'],
    createHmac('sha256', 'a-signing-key').update(`POST/orders${body}`).digest('hex'),
    'of the very body that was sent, with its random id',
  )
  t.same(said['setup'], ['INFO signed for c 1 Orders local'])
  t.match(said['request'], [/^INFO POST http:.*\/orders: status 200 after \d+ ms$/])
  t.same(said['teardown'], [])
  t.equal(log.length, 2)
})

t.test('variables that setup scripts set are seen by templates, later scripts and teardown', async (t) => {
  const server = await listening(t)
  const { failure, said } = await run(t, '{{BASE}}/orders/{{ID}}', {
    headers: [
      { key: 'Authorization', value: 'Bearer {{{TOKEN}}}' },
      { key: 'x-old', value: '{{OLD}}' },
    ],
    queryParameters: [{ key: 'id', value: '{{ID}}' }],
    variables: [
      { key: 'BASE', value: server.origin, secret: false },
      { key: 'OLD', value: 'before', secret: false },
    ],
    setup: [
      `console.log(request.headers.Authorization, request.url)
process.env.TOKEN = 't/1'; process.env.ID = 'a b'; process.env.OLD = 'after'`,
      'console.log(request.headers.Authorization, request.url, process.env.REQUEST_URL); process.env.N = 1',
    ],
    teardown: 'console.log(process.env.ID, process.env.N, request.headers.Authorization, request.method)',
  })
  t.equal(failure, null)
  t.match(server.last(), {
    url: '/orders/a%20b?id=a%20b',
    headers: { authorization: 'Bearer t/1', 'x-old': 'after' },
  })
  t.same(said['setup'], [
    'INFO Bearer {{{TOKEN}}} {{BASE}}/orders/{{ID}}',
    `INFO Bearer t/1 ${server.origin}/orders/a%20b ${server.origin}/orders/a%20b?id=a%20b`,
  ])
  t.same(said['teardown'], ['INFO a b 1 Bearer t/1 GET'])
})

t.test('every part of the request can be replaced, and what a script wrote is no template', async (t) => {
  const server = await listening(t)
  const { failure, detail } = await run(t, 'http://{{NOBODY}}.example/', {
    headers: [
      { key: 'Authorization', value: 'Bearer old' },
      { key: 'X-Gone', value: '1' },
      { key: 'X-Stays', value: '{{{WHO}}}' },
    ],
    queryParameters: [{ key: 'a', value: '1' }],
    basicAuth: { username: 'u', password: 'word' },
    variables: [{ key: 'WHO', value: 'me', secret: false }],
    setup: `request.url = '${server.origin}/{{x}}'
request.method = 'put'
request.body = 'raw {{WHO}} \\\\{{WHO}}'
request.headers.authorization = 'Bearer new'
delete request.headers['X-Gone']
request.queryParameters.b = '{{WHO}}&2'`,
  })
  t.equal(failure, null)
  const { url, method, headers, body } = server.last()
  t.equal(url, '/%7B%7Bx%7D%7D?a=1&b=%7B%7BWHO%7D%7D%262')
  t.equal(method, 'PUT')
  t.equal(body, 'raw {{WHO}} \\{{WHO}}')
  t.match(headers, { authorization: 'Bearer new', 'x-stays': 'me', 'x-gone': undefined })
  t.equal(detail.request.headers['authorization'], '[secret]')
})

t.test('a part that waits for a variable stays a template, also when a script adds to it', async (t) => {
  const server = await listening(t)
  const { failure } = await run(t, `${server.origin}/{{ID}}`, {
    headers: [{ key: 'x-id', value: '{{ID}}' }],
    setup: "request.url += '?more'; request.headers['x-id'] += '!'; process.env.ID = 'a b'",
  })
  t.equal(failure, null)
  t.match(server.last(), { url: '/a%20b?more', headers: { 'x-id': 'a%20b!' } })
})

t.test('teardown scripts see the response, and assertions see what they make of it', async (t) => {
  const server = await listening(t)
  const { failure, assertions, detail, said } = await run(t, server.origin, {
    assertions: [
      { source: 'JSON_BODY', property: '$.secret', comparison: 'IS_NULL', target: '' },
      { source: 'JSON_BODY', property: '$.added', comparison: 'EQUALS', target: 'grün' },
      { source: 'TEXT_BODY', property: '', comparison: 'CONTAINS', target: 'second' },
    ],
    teardown: [
      `console.log(response.statusCode, response.headers['content-type'], response.timingPhases.total > 0)
const body = JSON.parse(response.body)
delete body.secret
response.body = JSON.stringify({ ...body, added: 'grün' })`,
      'response.body = response.body.replace(\'}\', \',"by":"second"}\')',
    ],
  })
  t.equal(failure, null)
  t.same(
    assertions.map(({ passed }) => passed),
    [true, true, true],
  )
  t.equal(detail.response?.body, '{"id":7,"added":"grün","by":"second"}')
  t.equal(detail.response?.bodyBytes, Buffer.byteLength('{"id":7,"added":"grün","by":"second"}'))
  t.same(said['teardown'], ['INFO 200 application/json true'])
})

t.test('a setup script that fails ends the run: no request, no assertions', async (t) => {
  const server = await listening(t)
  const { failure, assertions, detail, said } = await run(t, server.origin, {
    setup: ['console.log("first")\nrequire("koa")', 'console.log("never")'],
    teardown: 'console.log("never")',
    assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
  })
  const problem =
    'The setup script 1 failed at line 2: There is no package "koa" for setup scripts in the runtime 2026.04'
  t.match(failure, { code: 'SETUP_SCRIPT_FAILED', message: problem, network: false })
  t.same(assertions, [])
  t.equal(detail.response, null)
  t.equal(detail.requestError, problem)
  t.same(said, { setup: ['INFO first', `ERROR ${problem}`], request: [], teardown: [] })
  t.equal(server.connections(), 0)
  const method = await run(t, server.origin, { setup: "request.method = 'BREW'" })
  t.match(method.failure, { code: 'SETUP_SCRIPT_FAILED', message: /method "BREW"; it must be one of GET/ })
})

t.test('a teardown script that fails fails the run, and the rest goes on', async (t) => {
  const server = await listening(t)
  const { failure, assertions, said } = await run(t, server.origin, {
    teardown: ['throw new Error("no")', 'response.body = "{}"; console.log("goes on")'],
    assertions: [{ source: 'JSON_BODY', property: '$', comparison: 'EQUALS', target: '{}' }],
  })
  t.match(failure, { code: 'TEARDOWN_SCRIPT_FAILED', message: 'The teardown script 1 failed at line 1: no' })
  t.match(assertions, [{ passed: true }])
  t.same(said['teardown'], ['ERROR The teardown script 1 failed at line 1: no', 'INFO goes on'])
})

t.test(
  'after a request without an answer teardown still runs, and the failure stays the network’s',
  async (t) => {
    const { failure, said, detail } = await run(t, `http://127.0.0.1:${await closedPort()}/`, {
      setup: 'process.env.ID = 5',
      teardown: 'console.log("clean up", process.env.ID, response); response.body',
    })
    t.match(failure, { code: 'ECONNREFUSED', network: true })
    t.match(detail.requestError, /refused/)
    t.match(said['teardown'], [
      'INFO clean up 5 undefined',
      /^ERROR The teardown script 1 failed at line 1: TypeError/,
    ])
    t.match(said['request'], [/^ERROR GET http.*refused/])
  },
)

t.test('a large body reaches teardown whole, with ten thousand lines of its log cut', async (t) => {
  const server = await listening(t, `{"x":"${'é'.repeat(4_000_000)}"}`)
  const { failure, said, log } = await run(t, server.origin, {
    teardown: `console.log(response.body.length); response.body = 'short'
for (let i = 0; i < 10_000; i += 1) console.log('line', i)`,
    assertions: [{ source: 'TEXT_BODY', property: '', comparison: 'EQUALS', target: 'short' }],
  })
  t.equal(failure, null)
  t.equal(said['teardown']?.[0], 'INFO 4000008')
  t.equal(said['teardown']?.at(-1), 'WARN What the script printed after this is not kept')
  t.ok(log.length <= 1000)
})

t.test('no secret gets into what is reported, also one that a script has made', async (t) => {
  const canaries = createCanaries()
  const variables = [
    { key: 'TOKEN', value: canaries.plant('variable'), secret: true },
    { key: 'SERVICE_SECRET_OWN', value: canaries.plant('named secret'), secret: false },
  ]
  const [made, next, mine] = ['made in setup', 'new value', 'locked header'].map((label) =>
    canaries.plant(label),
  )
  const server = await listening(t)
  const { origin } = server
  const print = 'console.log(process.env, Buffer.from(JSON.stringify(process.env)).toString("base64"))'
  const ran = await runJob(
    scriptedJob(origin, {
      variables,
      headers: [{ key: 'x-mine', value: 'old value', locked: true }],
      setup: [
        `process.env.SERVICE_SECRET_MADE = '${made}'
process.env.TOKEN = '${next}'
request.headers['x-mine'] = '${mine}'
request.headers['x-made'] = process.env.SERVICE_SECRET_MADE
${print}`,
        `${print}; process.stdout.write(process.env.TOKEN); console.error(request.headers)`,
      ],
      teardown: `${print}; console.log(request)\nthrow new Error(process.env.SERVICE_SECRET_OWN)`,
    }),
    agentIo(),
    new AbortController(),
  )
  t.match(server.last().headers, { 'x-mine': mine, 'x-made': made })
  t.match(ran.outcome, {
    observation: { failure: { message: 'The teardown script 1 failed at line 2: [secret]' } },
  })
  const reported = JSON.stringify([ran.outcome, ran.log])
  t.ok(ran.log.length > 6)
  t.same(canaries.find(Buffer.from(reported)), [])
})

t.test('an endless script does not keep other checks waiting', async (t) => {
  const server = await listening(t)
  const tenSeconds = heldTimer(10_000)
  const io = agentIo({ scriptClock: tenSeconds.clock })
  const endless = run(t, server.origin, { io, setup: 'for (;;);' })
  const others = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((n) => run(t, server.origin, { io, setup: `request.headers['x-n'] = ${n}` })),
  )
  t.ok(others.every(({ failure }) => failure === null))
  t.same(
    server.seen.map(({ headers }) => headers['x-n']).toSorted(),
    ['1', '2', '3', '4', '5', '6'],
    'all of them before the endless one is over',
  )
  await until('the time that the endless one has', () => tenSeconds.waiting() === 1)
  tenSeconds.pass()
  t.match((await endless).failure, {
    message: 'The setup script 1 was stopped: it took longer than 10 seconds',
  })
})

t.test('an agent that cannot start scripts says so, and nothing is sent', async (t) => {
  const server = await listening(t)
  const io = agentIo({ host: { execPath: '/nonexistent/node', kill: () => undefined } })
  const { outcome, error } = await runJob(
    scriptedJob(server.origin, { setup: '1' }),
    io,
    new AbortController(),
  )
  t.match(outcome, { kind: 'could-not-run', reason: /^This agent cannot start processes for scripts/ })
  t.equal(error, null)
  t.equal(server.connections(), 0)
})
