import type { Answer } from 'dns-packet'
import t, { type Test } from 'tap'
import { DeadlinePassed, RunCancelled } from '../../../agent/base/deadline.ts'
import { runDns } from '../../../agent/checks/dns.ts'
import { tryMs } from '../../../agent/dns/ask.ts'
import { findNameServers } from '../../../agent/dns/name-servers.ts'
import type { ConnectionState } from '../../../agent/net/connect/failures.ts'
import type { RealIo } from '../../../agent/program/real-io.ts'
import { realClock } from '../../../agent/program/real-io.ts'
import type { DnsSpec } from '../../../protocol/checks/dns.ts'
import { DnsCheckResult } from '../../../protocol/checks/dns-result.ts'
import { agentIo } from '../../support/agent-io.ts'
import { fitsProtocol } from '../../support/fits-protocol.ts'
import { heldTimer } from '../../support/held-timer.ts'
import { type Asked, address, nameServer } from '../../support/name-server.ts'
import { runContext } from '../../support/run-context.ts'
import { closedPort } from '../../support/servers.ts'

const fits = fitsProtocol(DnsCheckResult)
const name = 'www.example.com'

/** The patience with a silent server is over when the test says so. */
const patience = (dnsServers: string[] = []) => {
  const timer = heldTimer(tryMs)
  return { io: agentIo({ clock: timer.clock, dnsServers }), end: timer.passSoon }
}

/** Waits a fifth of what it is told to. */
const hastyIo = (): RealIo => {
  const clock = realClock()
  return agentIo({ clock: { ...clock, at: (delayMs, act) => clock.at(delayMs / 5, act) } })
}

type Options = {
  change?: Partial<DnsSpec['request']>
  shouldFail?: boolean
  io?: RealIo
  signal?: AbortSignal
}

const specOf = (port: number, { change = {}, shouldFail = false }: Options): DnsSpec => ({
  request: {
    query: name,
    recordType: 'A',
    nameServer: '127.0.0.1',
    port,
    protocol: 'UDP',
    assertions: [],
    ...change,
  },
  shouldFail,
})

/** Runs the check, holds the answer to the wire's schemas, and gives its detail a type. */
const run = async (t: Test, port: number, options: Options = {}) => {
  const { io = agentIo(), signal = new AbortController().signal } = options
  return fits(t, await runDns(specOf(port, options), io, runContext(io, signal)))
}

const wellBehaved = ({ answer, send }: Asked): void => send(answer([address(name, '192.0.2.1')]))

t.test('an answer is measured and shown as text and as JSON', async (t) => {
  const server = await nameServer(t, ({ answer, send, packet }) => {
    t.match(packet, {
      questions: [{ name, type: 'A', class: 'IN' }],
      flag_rd: true,
      additionals: [{ type: 'OPT' }],
    })
    send(
      answer([
        { type: 'CNAME', name, ttl: 60, data: 'web.example.com' },
        address('web.example.com', '192.0.2.1'),
      ]),
    )
  })
  const { failure, responseTime, metrics, detail } = await run(t, server.port)
  t.equal(failure, null)
  t.ok(metrics['total'] !== undefined && Math.round(metrics['total']) === responseTime)
  t.same(detail.nameServerInfo, { name: '127.0.0.1', host: '127.0.0.1', port: server.port })
  t.match(detail.response, { returnCode: 'NOERROR', protocol: 'UDP', truncated: false, responseTime })
  t.same(detail.response?.answer, {
    Status: 'NOERROR',
    TC: false,
    RD: true,
    RA: true,
    AD: false,
    CD: false,
    Question: [{ name: 'www.example.com.', type: 'A' }],
    Answer: [
      { name: 'www.example.com.', type: 'CNAME', TTL: 60, data: 'web.example.com.' },
      { name: 'web.example.com.', type: 'A', TTL: 300, data: '192.0.2.1' },
    ],
  })
  t.equal(
    detail.response?.text,
    [
      `NOERROR ${responseTime} ms`,
      `;; opcode: QUERY, status: NOERROR, id: ${server.asked[0]?.packet.id}`,
      ';; flags: qr rd ra; QUERY: 1, ANSWER: 2, AUTHORITY: 0, ADDITIONAL: 0',
      '',
      ';; QUESTION SECTION:',
      ';www.example.com.\tIN\tA',
      '',
      ';; ANSWER SECTION:',
      'www.example.com.\t60\tIN\tCNAME\tweb.example.com.',
      'web.example.com.\t300\tIN\tA\t192.0.2.1',
    ].join('\n'),
  )
})

/** Type 65, which the library of the test server knows by number only. */
const https = (data: number[]): Answer =>
  ({ type: 'UNKNOWN_65', name, ttl: 1, data: Buffer.from(data) }) as never
const soa = { serial: 7, refresh: 2, retry: 3, expire: 4, minimum: 5 }
const records: [DnsSpec['request']['recordType'], Answer, string][] = [
  ['A', address(name, '192.0.2.1'), '192.0.2.1'],
  ['AAAA', { type: 'AAAA', name, data: '2001:db8::1' }, '2001:db8::1'],
  ['CNAME', { type: 'CNAME', name, data: 'a.example' }, 'a.example.'],
  ['NS', { type: 'NS', name, data: 'ns.example' }, 'ns.example.'],
  ['MX', { type: 'MX', name, data: { preference: 10, exchange: 'mx.example' } }, '10 mx.example.'],
  ['TXT', { type: 'TXT', name, data: ['v=spf1 ', '-all'] }, 'v=spf1 -all'],
  ['SOA', { type: 'SOA', name, data: { mname: 'ns.x', rname: 'me.x', ...soa } }, 'ns.x. me.x. 7 2 3 4 5'],
  ['PTR', { type: 'PTR', name, data: 'host.example' }, 'host.example.'],
  [
    'SRV',
    { type: 'SRV', name, data: { priority: 1, weight: 2, port: 443, target: 'a.example' } },
    '1 2 443 a.example.',
  ],
  [
    'CAA',
    { type: 'CAA', name, data: { flags: 128, tag: 'issue', value: 'ca.example' } },
    '128 issue "ca.example"',
  ],
  [
    'CAA',
    { type: 'CAA', name, data: { flags: 0, tag: 'iodef', value: 'a "b" c\\d; \u0001é' } },
    '0 iodef "a \\"b\\" c\\\\d; \\001\\195\\169"',
  ],
  ['AAAA', { type: 'AAAA', name, data: '::ffff:c000:201' }, '::ffff:192.0.2.1'],
  ['AAAA', { type: 'AAAA', name, data: '::ffff:0:1' }, '::ffff:0.0.0.1'],
  ['AAAA', { type: 'AAAA', name, data: '::1' }, '::1'],
  [
    'HTTPS',
    https([
      0, 1, 0, 0, 1, 0, 6, 2, 104, 51, 2, 104, 50, 0, 3, 0, 2, 1, 187, 0, 4, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8,
    ]),
    '1 . alpn="h3,h2" port="443" ipv4hint="1.2.3.4,5.6.7.8"',
  ],
  [
    'HTTPS',
    https([
      0, 1, 0, 0, 6, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 0, 2, 1, 2, 154, 0, 3, 34, 92, 7,
    ]),
    '1 . ipv6hint="::ffff:192.0.2.1" key666="\\"\\\\\\007"',
  ],
  ['HTTPS', https([0, 0, 1, 97, 2, 98, 99, 0]), '0 a.bc.'],
  [
    'HTTPS',
    https([0, 1, 0, 0, 6, 0, 16, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 154, 0, 1, 120]),
    '1 . ipv6hint="2001:db8::1" key666="x"',
  ],
  [
    'HTTPS',
    https([0, 1, 0, 0, 0, 0, 4, 0, 1, 0, 5, 0, 2, 0, 0, 0, 5, 0, 2, 1, 2]),
    '1 . mandatory="alpn,ech" no-default-alpn ech="AQI="',
  ],
]

t.test('every record type is asked for and shown in one line', async (t) => {
  for (const [recordType, record, data] of records) {
    const { port } = await nameServer(t, ({ answer, send }) => send(answer([record])))
    const { failure, detail } = await run(t, port, { change: { recordType } })
    t.equal(failure, null)
    t.match(detail.response?.answer, {
      Question: [{ type: recordType }],
      Answer: [{ type: recordType, data }],
    })
  }
})

t.test('a truncated answer is asked for again over TCP, and TCP alone when the check says so', async (t) => {
  const server = await nameServer(t, ({ over, answer, send }) =>
    send(over === 'UDP' ? answer([], { flags: 0x0380 }) : answer([address(name, '192.0.2.9')])),
  )
  const { failure, detail } = await run(t, server.port)
  t.equal(failure, null)
  t.match(detail.response, { protocol: 'TCP', answer: { TC: false, Answer: [{ data: '192.0.2.9' }] } })
  await run(t, server.port, { change: { protocol: 'TCP' } })
  t.same(
    server.asked.map(({ over }) => over),
    ['UDP', 'TCP', 'TCP'],
  )
  const deaf = await nameServer(t, ({ answer, send, socket }) =>
    socket === null ? send(answer([], { flags: 0x0380 })) : socket.resetAndDestroy(),
  )
  t.match((await run(t, deaf.port)).failure, {
    code: 'ECONNRESET',
    message: /over TCP, which its truncated answer/,
  })
})

t.test('an answer in many pieces, behind another that is not asked for, is put together', async (t) => {
  const many = Array.from({ length: 1000 }, (_, index) => address(name, `192.0.${index >> 8}.${index & 255}`))
  const { port } = await nameServer(t, ({ answer, socket, packet }) => {
    const wrong = answer([], { id: packet.id ^ 1 })
    const right = answer(many)
    const length = (bytes: Buffer) => Buffer.from([bytes.length >> 8, bytes.length & 255])
    const all = Buffer.concat([length(wrong), wrong, length(right), right])
    const send = (offset: number): void => {
      if (offset < all.length) socket?.write(all.subarray(offset, offset + 9999), () => send(offset + 9999))
    }
    socket?.write(all.subarray(0, 1), () => send(1))
  })
  const { failure, assertions, detail } = await run(t, port, {
    change: {
      protocol: 'TCP',
      assertions: [{ source: 'TEXT_ANSWER', comparison: 'CONTAINS', target: '192.0.3.231' }],
    },
  })
  t.equal(failure, null)
  t.equal(assertions[0]?.passed, true, 'assertions see all of it')
  t.equal(detail.response?.answer.Answer.length, 100)
  t.equal(detail.response?.truncated, true)
})

t.test('only the answer to this question counts', async (t) => {
  const other = { type: 'A', name: 'other.example', class: 'IN' } as const
  const { port } = await nameServer(t, ({ answer, send, packet }) => {
    const lie = [address(name, '203.0.113.6')]
    send(answer(lie, { id: packet.id ^ 1 }))
    send(answer(lie, { questions: [other] }))
    send(answer(lie, { questions: [{ type: 'AAAA', name, class: 'IN' }] }))
    send(answer(lie, { questions: [] }))
    send(answer(lie, { type: 'query' }))
    send(Buffer.from([1, 2, 3]))
    send(answer([address(name, '192.0.2.1')], { questions: [{ type: 'A', name: 'WWW.Example.com' }] }))
  })
  const { failure, detail } = await run(t, port)
  t.equal(failure, null)
  t.match(detail.response?.answer.Answer, [{ data: '192.0.2.1' }])
  const { io, end } = patience()
  const liar = await nameServer(t, ({ answer, send, packet }) => {
    send(answer([], { id: packet.id ^ 1 }))
    end()
  })
  t.match((await run(t, liar.port, { io })).failure, {
    code: 'TIMEOUT',
    network: true,
    message: /did not answer .* over UDP; a message with another id or question did not count/,
  })
})

t.test("ids differ from question to question, and an answer that comes late is nobody's", async (t) => {
  let late: Buffer | null = null
  const { io, end } = patience()
  const server = await nameServer(t, ({ answer, send }) => {
    if (late !== null) {
      send(late)
      return send(answer([address(name, '192.0.2.2')]))
    }
    late = answer([address(name, '192.0.2.1')])
    end()
  })
  const { detail } = await run(t, server.port, { io })
  t.match(detail.response?.answer.Answer, [{ data: '192.0.2.2' }])
  t.equal(server.asked.length, 2, 'a silent server is asked a second time')
  for (let i = 0; i < 3; i += 1) await run(t, server.port)
  t.ok(new Set(server.asked.map(({ packet }) => packet.id)).size > 2)
})

t.test('messages that are broken or loop are refused', async (t) => {
  const broken: [string, (asked: Asked) => Buffer][] = [
    [
      'a name that points to itself',
      ({ answer }) => Buffer.concat([answer([], {}), Buffer.from([0xc0, 0xff])]),
    ],
    ['a record that is cut off', ({ answer }) => answer([address(name, '192.0.2.1')]).subarray(0, -3)],
    [
      'nothing but an id',
      ({ packet }) => Buffer.from([packet.id >> 8, packet.id & 255, 0x80, ...Array(9).fill(9)]),
    ],
    ['a service binding that ends early', ({ answer }) => answer([https([0, 1, 0, 0, 1, 0, 9, 2, 104])])],
  ]
  for (const [what, make] of broken) {
    const { port } = await nameServer(t, (asked) => {
      const bytes = make(asked)
      if (what.includes('itself')) {
        // One answer, whose name points to where it is.
        bytes.writeUInt16BE(1, 6)
        bytes.writeUInt16BE(0xc000 | (bytes.length - 2), bytes.length - 2)
      }
      asked.send(bytes)
    })
    const { failure, detail } = await run(t, port)
    t.match(failure, { code: 'MALFORMED_RESPONSE', network: false, message: /not a DNS message/ }, what)
    t.equal(detail.requestError, failure?.message)
  }
})

t.test('a chain of names that leads back to itself is an answer like another', async (t) => {
  const { port } = await nameServer(t, ({ answer, send }) =>
    send(
      answer([
        { type: 'CNAME', name, data: 'b.example' },
        { type: 'CNAME', name: 'b.example', data: name },
      ]),
    ),
  )
  const { failure, detail } = await run(t, port)
  t.equal(failure, null)
  t.equal(detail.response?.answer.Answer.length, 2)
})

t.test('codes other than NOERROR fail unless an assertion or shouldFail says otherwise', async (t) => {
  const { port } = await nameServer(t, ({ answer, send }) => send(answer([], { rcode: 3 })))
  const plain = await run(t, port)
  t.match(plain.failure, {
    code: 'DNS_RESPONSE_CODE',
    network: false,
    message: `The name server 127.0.0.1:${port} answered NXDOMAIN for ${name} A`,
  })
  t.match(plain.detail, { response: { returnCode: 'NXDOMAIN' }, requestError: null })
  t.equal((await run(t, port, { shouldFail: true })).failure, null)
  const code = (target: string) => ({ source: 'RESPONSE_CODE', comparison: 'EQUALS', target }) as const
  const judged = await run(t, port, { change: { assertions: [code('NXDOMAIN'), code('NOERROR')] } })
  t.equal(judged.failure, null)
  t.match(judged.assertions, [
    { passed: true },
    { passed: false, error: 'expected response code to equal NOERROR but it was NXDOMAIN' },
  ])
})

t.test('assertions look at time, code, text and JSON', async (t) => {
  const { port } = await nameServer(t, ({ answer, send }) =>
    send(answer([address(name, '192.0.2.1'), address(name, '192.0.2.2')])),
  )
  const { assertions } = await run(t, port, {
    change: {
      assertions: [
        { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '2000' },
        { source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NOERROR' },
        { source: 'TEXT_ANSWER', property: 'IN\\tA\\t(\\S+)', comparison: 'EQUALS', target: '192.0.2.1' },
        { source: 'TEXT_ANSWER', comparison: 'CONTAINS', target: 'ANSWER: 2' },
        { source: 'JSON_ANSWER', property: '$.Answer[1].data', comparison: 'EQUALS', target: '192.0.2.2' },
        { source: 'JSON_ANSWER', property: '$.Answer[*].TTL', comparison: 'GREATER_THAN', target: '299' },
        { source: 'JSON_ANSWER', property: '$.Answer.length', comparison: 'EQUALS', target: '3' },
      ],
    },
  })
  t.same(
    assertions.map(({ passed }) => passed),
    [true, true, true, true, true, true, false],
  )
})

t.test('failover', async (t) => {
  const good = await nameServer(t, wellBehaved)
  const at = (port: number) => `127.0.0.1:${port}`
  const own = { nameServer: null, port: 53 }
  const closed = await closedPort()
  let end = (): void => undefined
  const silent = await nameServer(t, () => end())
  const failing = await nameServer(t, ({ answer, send }) => send(answer([], { rcode: 2 })))
  await t.test("goes through this machine's name servers until one can answer", async (t) => {
    const impatient = patience([at(closed), at(silent.port), at(failing.port), at(good.port)])
    end = impatient.end
    const { failure, detail } = await run(t, 53, { io: impatient.io, change: own })
    t.equal(failure, null)
    t.match(detail.nameServerInfo, { host: '127.0.0.1', port: good.port })
    t.equal(silent.asked.length, 1)
  })
  await t.test('does not need the permission that other addresses need', async (t) => {
    const io = {
      ...agentIo({ dnsServers: [at(good.port)] }),
      egress: agentIo({ blockedNetworks: ['127.0.0.0/8'] }).egress,
    }
    t.equal((await run(t, 53, { io, change: own })).failure, null)
    t.match((await run(t, good.port, { io })).failure, { code: 'BLOCKED_BY_POLICY' })
  })
  await t.test(
    'ends with an answer, if only of a server that could not, rather than with none',
    async (t) => {
      const io = agentIo({ dnsServers: [at(failing.port), at(closed)] })
      t.match((await run(t, 53, { io, change: own })).detail.response, { returnCode: 'SERVFAIL' })
    },
  )
  await t.test('believes that a name does not exist', async (t) => {
    const denying = await nameServer(t, ({ answer, send }) => send(answer([], { rcode: 3 })))
    const io = agentIo({ dnsServers: [at(denying.port), at(good.port)] })
    t.match((await run(t, 53, { io, change: own })).failure, { message: /NXDOMAIN/ })
  })
})

t.test("this machine's name servers may be written in any way", async (t) => {
  const io = { ...agentIo(), nameServers: () => ['[::1]:5353', '::2', '192.0.2.1', '192.0.2.2:54', '[::3]'] }
  const state: ConnectionState = { host: '', address: null, port: 53, elapsedMs: 0, phase: 'lookup' }
  const found = await findNameServers({ nameServer: null, port: 53 }, state, io)
  t.match(found, [
    { address: '::1', port: 5353 },
    { address: '::2', port: 53 },
    { address: '192.0.2.1', port: 53 },
    { address: '192.0.2.2', port: 54 },
    { address: '::3', port: 53 },
  ])
})

t.test('a server that does not know EDNS is asked without it', async (t) => {
  const server = await nameServer(t, ({ packet, answer, send }) =>
    send(
      packet.additionals?.length === 0
        ? answer([address(name, '192.0.2.1')])
        : answer([], { rcode: 1, questions: [] }),
    ),
  )
  t.match((await run(t, server.port)).detail.response, { returnCode: 'NOERROR' })
  t.equal(server.asked.length, 2)
})

t.test('failures are told apart', async (t) => {
  const port = await closedPort()
  for (const protocol of ['UDP', 'TCP'] as const)
    t.match((await run(t, port, { change: { protocol } })).failure, {
      code: 'ECONNREFUSED',
      network: true,
      message: `The name server 127.0.0.1:${port} refused the question for ${name} A over ${protocol}`,
    })
  const { io, end } = patience()
  const silent = await nameServer(t, end)
  t.match((await run(t, silent.port, { io })).failure, {
    code: 'TIMEOUT',
    network: true,
    message: /did not answer/,
  })
  const cutting = await nameServer(t, ({ socket }) => socket?.end())
  t.match((await run(t, cutting.port, { change: { protocol: 'TCP' } })).failure, { code: 'ECONNRESET' })
  const halving = await nameServer(t, ({ socket }) => socket?.end(Buffer.from([9, 9, 1])))
  t.match((await run(t, halving.port, { change: { protocol: 'TCP' } })).failure, { code: 'ECONNRESET' })
  t.match((await run(t, 53, { change: { nameServer: 'nothing.invalid' } })).failure, {
    code: /ENOTFOUND|EAI_AGAIN/,
    message: /nothing\.invalid/,
  })
  const nowhere = await run(t, 53, { io: hastyIo(), change: { nameServer: '100::1' } })
  t.match(nowhere.failure, { network: true, message: /\[100::1\]:53/ })
  for (const query of ['a..b', `${'x'.repeat(64)}.example`, '.a', '..'])
    t.match((await run(t, port, { change: { query } })).failure, { code: 'INVALID_NAME' }, query)
})

t.test('names: international ones, the root, and name servers by name', async (t) => {
  const server = await nameServer(t, ({ answer, send }) => send(answer([])))
  for (const query of ['grüße.example', '.', 'example.com.', '_dmarc.example.com'])
    t.equal((await run(t, server.port, { change: { query, nameServer: 'localhost' } })).failure, null)
  t.same(
    server.asked.map(({ packet }) => packet.questions?.[0]?.name),
    ['xn--gre-6ka8l.example', '.', 'example.com', '_dmarc.example.com'],
  )
})

t.test('a deadline ends the wait and says for whom; a cancelled run is no observation', async (t) => {
  let pass = (): void => undefined
  const { port } = await nameServer(t, () => pass())
  for (const protocol of ['UDP', 'TCP'] as const) {
    const deadline = new AbortController()
    pass = () => deadline.abort(new DeadlinePassed(50))
    const { failure } = await run(t, port, { signal: deadline.signal, change: { protocol } })
    t.match(failure, { code: 'TIMEOUT', network: true, message: `127.0.0.1:${port} had not answered` })
  }
  const controller = new AbortController()
  const io = agentIo()
  const running = runDns(specOf(port, {}), io, runContext(io, controller.signal))
  controller.abort(new RunCancelled())
  await t.rejects(running, RunCancelled)
})
