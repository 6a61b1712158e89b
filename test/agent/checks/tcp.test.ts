import t, { type Test } from 'tap'
import { DeadlinePassed, RunCancelled } from '../../../agent/base/deadline.ts'
import { runTcp } from '../../../agent/checks/tcp.ts'
import type { RealIo } from '../../../agent/program/real-io.ts'
import { realClock } from '../../../agent/program/real-io.ts'
import type { TcpSpec } from '../../../protocol/checks/tcp.ts'
import { TcpCheckResult } from '../../../protocol/checks/tcp-result.ts'
import { agentIo } from '../../support/agent-io.ts'
import { cpuTimeMs } from '../../support/cpu-time.ts'
import { fitsProtocol } from '../../support/fits-protocol.ts'
import { runContext } from '../../support/run-context.ts'
import { closedPort, tcpServer } from '../../support/servers.ts'

const fits = fitsProtocol(TcpCheckResult)

/** Waits so many times as long as it is told to. */
const ioWaiting = (times: number): RealIo => {
  const clock = realClock()
  return agentIo({ clock: { ...clock, at: (delayMs, act) => clock.at(delayMs * times, act) } })
}

type Options = {
  change?: Partial<TcpSpec['request']>
  shouldFail?: boolean
  io?: RealIo
  signal?: AbortSignal
}

const specOf = (port: number, { change = {}, shouldFail = false }: Options): TcpSpec => ({
  request: { hostname: '127.0.0.1', port, data: null, ipFamily: 'IPv4', assertions: [], ...change },
  shouldFail,
})

/** Runs the check, holds the answer to the wire's schemas, and gives its detail a type. */
const run = async (t: Test, port: number, options: Options = {}) => {
  const { io = agentIo(), signal = new AbortController().signal } = options
  return fits(t, await runTcp(specOf(port, options), io, runContext(io, signal)))
}

/** A deadline that passes when the peer has got as far as it shall. */
const deadline = () => {
  const controller = new AbortController()
  return { signal: controller.signal, pass: () => controller.abort(new DeadlinePassed(100)) }
}

const hasData = (
  target: string,
  property = '',
  comparison: 'EQUALS' | 'CONTAINS' | 'IS_EMPTY' | 'NOT_EMPTY' = 'EQUALS',
) => ({
  source: 'RESPONSE_DATA' as const,
  property,
  comparison,
  target,
})

t.test('a connection that stands is enough when nothing is sent and nothing is asked', async (t) => {
  const server = await tcpServer(t, () => undefined)
  const { failure, metrics, detail } = await run(t, server.port, {
    change: { assertions: [{ source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '2000' }] },
  })
  t.equal(failure, null)
  t.match(detail, {
    request: { hostname: '127.0.0.1', port: server.port, data: null, ipFamily: 'IPv4' },
    response: { resolvedIp: '127.0.0.1', data: '', dataBytes: 0, endedBy: null, error: null },
    timingPhases: { dns: 0, data: null },
    assertions: [{ passed: true }],
    requestError: null,
  })
  t.same(Object.keys(metrics).sort(), ['connection', 'dns', 'total'])
})

t.test('data is sent, and the answer is read until the peer is quiet', async (t) => {
  const server = await tcpServer(t, (socket) =>
    socket.once('data', (data) => {
      socket.write(`you said ${data}`)
      setTimeout(() => socket.write(', well'), 5)
    }),
  )
  const started = performance.now()
  // So long a quiet that a busy machine does not take the pause between the parts for it.
  const { failure, responseTime, detail, assertions } = await run(t, server.port, {
    io: ioWaiting(4),
    change: { data: 'grüße', assertions: [hasData('you said grüße, well')] },
  })
  t.equal(failure, null)
  t.match(assertions, [{ passed: true, actual: 'you said grüße, well' }])
  t.match(detail.response, { data: 'you said grüße, well', dataEncoding: 'utf8', endedBy: 'quiet' })
  t.ok(performance.now() - started - responseTime > 400, 'the quiet at the end is not measured')
  const { dns, connection, data, total } = detail.timingPhases
  t.ok(Math.abs(Number(dns) + Number(connection) + Number(data) - Number(total)) < 0.1)
})

t.test('the first capture group of a regular expression is compared', async (t) => {
  const { port } = await tcpServer(t, (socket) => socket.end('220 mail.example.com ESMTP v4.96\r\n'))
  const { assertions, detail } = await run(t, port, {
    change: {
      assertions: [
        hasData('4.96', 'ESMTP v(\\S+)'),
        hasData('220', '^\\d+'),
        hasData('', 'nothing', 'IS_EMPTY'),
        hasData('x', '(a'),
        hasData('x', '(a)\\1'),
        { source: 'RESPONSE_DATA', comparison: 'GREATER_THAN', property: '^(\\d+)', target: '200' },
      ],
    },
  })
  t.equal(detail.response.endedBy, 'close')
  t.match(
    assertions.map(({ passed }) => passed),
    [true, true, true, false, false, true],
  )
  t.match(assertions[3]?.error, /not valid/)
})

t.test('no pattern makes the agent hang', async (t) => {
  const { port } = await tcpServer(t, (socket) => socket.end(`${'a'.repeat(65_000)}!`))
  const before = cpuTimeMs()
  const patterns = ['^(a+)+$', '(a|a)*b', '(.*a){12}b', '((a{1,30}){1,30}b)', '(a{1000})'.repeat(200)]
  const { assertions } = await run(t, port, { change: { assertions: patterns.map((p) => hasData('x', p)) } })
  t.same(
    assertions.map(({ passed }) => passed),
    patterns.map(() => false),
  )
  t.match(assertions.at(-1)?.error, /repeats too much/)
  t.ok(cpuTimeMs() - before < 10_000)
})

t.test('what is not text is shown as base64', async (t) => {
  const bytes = Buffer.from([0xff, 0x00, 0xfe])
  const { port } = await tcpServer(t, (socket) => socket.end(bytes))
  const { detail } = await run(t, port, { change: { assertions: [hasData('', '', 'NOT_EMPTY')] } })
  t.match(detail.response, { data: bytes.toString('base64'), dataEncoding: 'base64', dataBytes: 3 })
  const half = Buffer.from('grü').subarray(0, 3)
  const cut = await tcpServer(t, (socket) => socket.end(half))
  const shown = await run(t, cut.port, { change: { assertions: [hasData('', '', 'NOT_EMPTY')] } })
  t.match(shown.detail.response, { data: half.toString('base64'), dataEncoding: 'base64' })
})

t.test('64 KB are read at most, and 10 KB shown', async (t) => {
  const { port } = await tcpServer(t, (socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write('é'.repeat(1000)));
    }
    socket.on('drain', more)
    more()
  })
  const { failure, assertions, detail } = await run(t, port, {
    change: { assertions: [hasData('é', '', 'CONTAINS')] },
  })
  t.equal(failure, null)
  t.equal(assertions[0]?.passed, true)
  t.match(detail.response, { dataBytes: 65_536, truncated: true, endedBy: 'limit', dataEncoding: 'utf8' })
  t.equal(detail.response.data, 'é'.repeat(5120))
})

t.test('a peer that goes on until the deadline is judged by what it has said', async (t) => {
  const { signal, pass } = deadline()
  const { port } = await tcpServer(t, (socket) => {
    let sent = 0
    const timer = setInterval(() => {
      socket.write('.')
      sent += 1
      if (sent > 20) pass()
    }, 5)
    socket.on('close', () => clearInterval(timer))
  })
  const { failure, detail } = await run(t, port, {
    io: ioWaiting(4),
    signal,
    change: { assertions: [hasData('.', '', 'CONTAINS')] },
  })
  t.equal(failure, null)
  t.match(detail.response, { endedBy: 'deadline', truncated: true })
  t.match(detail.assertions, [{ passed: true }])
})

t.test('a peer that never says a word', async (t) => {
  const { signal, pass } = deadline()
  const { port } = await tcpServer(t, (socket) => socket.once('data', pass))
  await t.test('fails by the deadline when an assertion waits for one', async (t) => {
    const { failure, assertions, detail } = await run(t, port, {
      signal,
      change: { data: 'hello?', assertions: [hasData('', '', 'NOT_EMPTY')] },
    })
    t.match(failure, { code: 'TIMEOUT', network: true, message: `127.0.0.1:${port} had not answered` })
    t.same(assertions, [])
    t.match(detail.response.error, { code: 'TIMEOUT', syscall: 'read', port, hostname: '127.0.0.1' })
    t.equal(detail.requestError, failure?.message)
  })
  await t.test('passes after a while when nothing does, and that while is not measured', async (t) => {
    const started = performance.now()
    const change = { data: 'hello?' }
    const { failure, responseTime, detail } = await run(t, port, { io: ioWaiting(0.1), change })
    t.equal(failure, null)
    t.equal(detail.response.endedBy, 'silence')
    t.ok(performance.now() - started - responseTime > 400)
  })
})

t.test('failures of the target are told apart', async (t) => {
  const port = await closedPort()
  const refused = await run(t, port)
  t.match(refused.failure, {
    code: 'ECONNREFUSED',
    network: true,
    message: new RegExp(`127\\.0\\.0\\.1:${port} refused the connection after \\d+ ms`),
  })
  t.match(refused.detail.response, { resolvedIp: '127.0.0.1', error: { syscall: 'connect' } })
  const unknown = await run(t, 7, { change: { hostname: 'nothing.invalid' } })
  t.match(unknown.failure, { code: /ENOTFOUND|EAI_AGAIN/, network: true })
  t.match(unknown.detail.response, { resolvedIp: null, error: { syscall: 'getaddrinfo' } })
  t.match(unknown.detail.timingPhases, { dns: null, connection: null })
  const odd = await run(t, 7, { change: { hostname: 'x'.repeat(300) } })
  t.match(odd.failure, { network: true })
  for (const [answer, message] of [
    ['', /without an answer/],
    ['half', /in the middle of its answer/],
  ] as const) {
    const resetting = await tcpServer(t, (socket) =>
      socket.once('data', () => socket.write(answer, () => socket.resetAndDestroy())),
    )
    const { failure } = await run(t, resetting.port, { change: { data: 'x' } })
    t.match(failure, { code: 'ECONNRESET', network: true, message })
  }
})

t.test('shouldFail lets a refused or timed-out connection pass, and nothing else', async (t) => {
  const refused = await run(t, await closedPort(), { shouldFail: true })
  t.equal(refused.failure, null)
  t.match(refused.detail.response.error, { code: 'ECONNREFUSED' })
  t.match(refused.detail.requestError, /refused/)
  const io = agentIo()
  const unreached = deadline()
  const stuck: RealIo = {
    ...io,
    connect: (options) => {
      setImmediate(unreached.pass)
      return io.connect({ ...options, lookup: () => undefined, host: 'x' })
    },
  }
  const black = await run(t, 9, { shouldFail: true, io: stuck, signal: unreached.signal })
  t.equal(black.failure, null)
  t.match(black.detail.response.error, { code: 'TIMEOUT', syscall: 'connect' })
  const unanswered = deadline()
  const open = await tcpServer(t, (socket) => socket.once('data', unanswered.pass))
  t.equal((await run(t, open.port, { shouldFail: true })).failure, null)
  const silent = await run(t, open.port, {
    shouldFail: true,
    signal: unanswered.signal,
    change: { data: 'hello?', assertions: [hasData('x')] },
  })
  t.match(silent.failure, { code: 'TIMEOUT' })
  t.match((await run(t, 9, { shouldFail: true, change: { hostname: 'nothing.invalid' } })).failure, {
    network: true,
  })
})

t.test('addresses that may not be reached are refused, however they are spelt', async (t) => {
  const server = await tcpServer(t, () => undefined)
  const io = agentIo({ blockedNetworks: ['127.0.0.0/8', '::1'] })
  for (const hostname of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '::1', '0.0.0.0', '2130706433'])
    t.match(
      (await run(t, server.port, { io, change: { hostname } })).failure,
      { code: 'BLOCKED_BY_POLICY' },
      hostname,
    )
  t.equal(server.connections(), 0)
})

t.test('IPv6 checks use IPv4 where the machine has no IPv6', async (t) => {
  const server = await tcpServer(t, (socket) => socket.end('four'))
  const io: RealIo = {
    ...agentIo(),
    hasIpv6: () => false,
    lookup: async (_, family) => (family === 6 ? [] : [{ address: '127.0.0.1', family }]),
  }
  const change = { hostname: 'localhost', ipFamily: 'IPv6' as const, assertions: [hasData('four')] }
  const { failure, detail } = await run(t, server.port, { io, change })
  t.equal(failure, null)
  t.equal(detail.response.resolvedIp, '127.0.0.1')
})

t.test('a cancelled run is no observation, and leaves no connection', async (t) => {
  const controller = new AbortController()
  const closed = new Promise<void>((resolve) => {
    tcpServer(t, (socket) => {
      socket.on('close', () => resolve())
      controller.abort(new RunCancelled())
    }).then(({ port }) => {
      const spec = specOf(port, { change: { assertions: [hasData('x')] } })
      const io = agentIo()
      t.rejects(runTcp(spec, io, runContext(io, controller.signal)), RunCancelled)
    })
  })
  await closed
})

t.test("what this machine lacks is not the target's failure", async (t) => {
  const io = agentIo()
  const full: RealIo = {
    ...io,
    connect: (options) => io.connect(options).destroy(Object.assign(new Error('full'), { code: 'EMFILE' })),
  }
  const context = runContext(full, new AbortController().signal)
  await t.rejects(runTcp(specOf(9, {}), full, context), { code: 'EMFILE' })
})
