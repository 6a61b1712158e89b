// Runs in a process of its own: it measures memory.
/** Targets that misbehave on purpose. Whatever they do, the run ends in time, in little memory, with a sentence. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { runJob } from '../../agent/jobs/run-job.ts'
import type { HttpCheckResult } from '../../protocol/checks/http-result.ts'
import type { Job } from '../../protocol/job.ts'
import type { Observation } from '../../protocol/result.ts'
import { agentIo } from '../support/agent-io.ts'
import { createAuthority } from '../support/certificates.ts'
import { urlJob, urlSpec } from '../support/fake-control-plane.ts'
import { type HeldTimer, heldTimer } from '../support/held-timer.ts'
import { type Asked, address, nameServer } from '../support/name-server.ts'
import { answering, httpServer, httpsServer, tcpServer } from '../support/servers.ts'

const authority = createAuthority()
const io = agentIo({ extraCaCerts: authority.pem })
/** The deadline of runs that need one to end: it passes once the target has shown what it does. */
const limitMs = 400

const observe = async (job: Partial<Job>, clock = io.clock): Promise<Observation> => {
  const { outcome } = await runJob(urlJob('', job), { ...io, clock }, new AbortController())
  if (outcome.kind !== 'observed') throw new Error(JSON.stringify(outcome))
  return outcome.observation
}

const get = (url: string) => observe({ spec: urlSpec(url) })

const getUntil = (url: string, { clock }: HeldTimer) =>
  observe({ spec: urlSpec(url), deadlineMs: limitMs }, clock)

const responseOf = ({ detail }: Observation) => (detail as HttpCheckResult).response

/** Writes as fast as it is read, until it is cut off. */
const pour = async (socket: Socket, part: Buffer | string): Promise<void> => {
  while (!socket.destroyed)
    if (!socket.write(part)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
}

t.test('accepts and never answers', async (t) => {
  const limit = heldTimer(limitMs)
  const server = await tcpServer(t, (socket) => socket.once('data', limit.passSoon))
  t.match((await getUntil(server.origin, limit)).failure, {
    code: 'TIMEOUT',
    message: /had not answered when the limit of 0.4 s/,
  })
  const secure = await getUntil(server.origin.replace('http', 'https'), limit)
  t.match(secure.failure, { code: 'TIMEOUT', message: /TLS handshake .* was not finished/ })
})

t.test('one byte a second', async (t) => {
  // A byte at a time: none of them makes the limit begin anew, which is up when the last of them has been read.
  const limit = heldTimer(limitMs)
  const dripping = (first: string, rest: string) =>
    tcpServer(t, (socket) => {
      socket.write(first)
      let sent = 0
      const timer = setInterval(() => {
        if (sent < rest.length) socket.write(rest[sent++] ?? '')
        else limit.passSoon()
      }, 10)
      socket.on('close', () => clearInterval(timer))
    })
  const head = await dripping('', 'HTTP/1.1 200 OK\r\nServer: slow')
  t.match((await getUntil(head.origin, limit)).failure, { code: 'TIMEOUT', message: /had not answered/ })
  const body = await dripping('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(10))
  const observation = await getUntil(body.origin, limit)
  t.match(observation.failure, { code: 'TIMEOUT', message: /still sending its answer/ })
})

t.test('endless body', async (t) => {
  const server = await tcpServer(t, async (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n')
    await pour(socket, 'x'.repeat(64 * 1024))
  })
  const response = responseOf(await get(server.origin))
  t.match(response, { status: 200, truncated: true })
  t.ok((response?.bodyBytes ?? 0) <= 26 * 1024 * 1024, 'read up to 25 MB')
  t.ok((response?.body.length ?? 0) <= 10 * 1024, 'and 10 KB kept')
})

t.test('gzip bomb', async (t) => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
  const server = await httpServer(t, (_, response) =>
    response.setHeader('content-encoding', 'gzip').setHeader('content-type', 'text/plain').end(bomb),
  )
  const before = process.memoryUsage.rss()
  const observation = await get(server.origin)
  t.equal(observation.failure, null)
  t.match(responseOf(observation), { status: 200, truncated: true })
  t.ok(process.memoryUsage.rss() - before < 150 * 1024 * 1024, 'never as a whole in memory')
})

t.test('10 MB of headers', async (t) => {
  const server = await tcpServer(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    for (let i = 0; i < 160 && !socket.destroyed; i += 1) socket.write(`x-${i}: ${'y'.repeat(64 * 1024)}\r\n`)
  })
  t.match((await get(server.origin)).failure, { code: 'HEADERS_TOO_LARGE', network: false })
})

t.test('redirect loop', async (t) => {
  const server = await httpServer(t, (_, response) => response.writeHead(302, { location: '/' }).end())
  t.match((await get(server.origin)).failure, { code: 'TOO_MANY_REDIRECTS' })
  t.equal(server.connections(), 11)
})

t.test('RST mid-body', async (t) => {
  const server = await tcpServer(t, (socket) =>
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of it', () => socket.resetAndDestroy())
    }),
  )
  const observation = await get(server.origin)
  t.match(observation.failure, { code: 'ECONNRESET', message: /in the middle of its answer/, network: true })
})

t.test('TLS with', async (t) => {
  const failureWith = async (t: Test, options: object) => {
    const { origin } = await httpsServer(t, options, (_, response) => response.end())
    const { failure, detail } = await get(origin)
    t.equal((detail as HttpCheckResult).response, null, 'nothing is sent')
    return failure
  }
  await t.test('wrong name', async (t) => {
    const failure = await failureWith(t, authority.issue({ altName: 'DNS:other.example' }))
    t.match(failure, { code: 'ERR_TLS_CERT_ALTNAME_INVALID', message: /for another name than 127.0.0.1/ })
  })
  await t.test('expired', async (t) => {
    const failure = await failureWith(t, authority.issue({ altName: 'IP:127.0.0.1', days: -1 }))
    t.match(failure, { code: 'CERT_HAS_EXPIRED', message: /has expired/ })
  })
  await t.test('self-signed', async (t) => {
    const failure = await failureWith(t, createAuthority().root)
    t.match(failure, { code: 'DEPTH_ZERO_SELF_SIGNED_CERT', message: /is self-signed/ })
  })
  await t.test('unknown CA', async (t) => {
    const failure = await failureWith(t, createAuthority().issue({ altName: 'IP:127.0.0.1' }))
    t.match(failure, { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', message: /not trusted/ })
  })
  await t.test('no common version', async (t) => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }
    const failure = await failureWith(t, { ...authority.issue({ altName: 'IP:127.0.0.1' }), ...old })
    t.match(failure, { code: /^ERR_SSL/, message: /TLS handshake .* failed: .*version/, network: true })
  })
  await t.test('no TLS at all', async (t) => {
    const { origin } = await answering(t, 'HTTP/1.1 400 Bad Request\r\n\r\n')
    t.match((await get(origin.replace('http', 'https'))).failure, { code: /^ERR_SSL|EPROTO/, network: true })
  })
})

t.test('DNS that', async (t) => {
  const ask = async (t: Test, respond: (asked: Asked, limit: HeldTimer) => void) => {
    const limit = heldTimer(limitMs)
    const server = await nameServer(t, (asked) => respond(asked, limit))
    const request = { query: 'a.example', recordType: 'A', nameServer: '127.0.0.1', port: server.port }
    const spec = { request: { ...request, protocol: 'UDP', assertions: [] }, shouldFail: false }
    return {
      asked: server.asked,
      ...(await observe({ checkType: 'DNS', spec, deadlineMs: limitMs }, limit.clock)),
    }
  }
  const right = [address('a.example', '192.0.2.1')]
  await t.test('lies about what was asked', async (t) => {
    const { failure } = await ask(t, ({ answer, send }, limit) => {
      send(answer([address('b.example', '192.0.2.2')], { questions: [{ type: 'A', name: 'b.example' }] }))
      limit.passSoon()
    })
    t.match(failure, { code: 'TIMEOUT', network: true }, 'an answer to another question is none')
  })
  await t.test('loops', async (t) => {
    const { failure } = await ask(t, ({ answer, send }) => {
      const bytes = answer([])
      // The name of the first record is a pointer to itself (RFC 1035 section 4.1.4).
      bytes.writeUInt16BE(1, 6)
      const pointer = Buffer.from([0xc0, bytes.length, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 1, 2, 3, 4])
      send(Buffer.concat([bytes, pointer]))
    })
    t.not(failure, null)
    t.not(failure?.code, 'TIMEOUT')
  })
  await t.test('truncates', async (t) => {
    const { failure, asked } = await ask(t, ({ over, answer, send }) =>
      send(over === 'UDP' ? answer([], { flags: 0x0380 }) : answer(right)),
    )
    t.equal(failure, null)
    t.same(
      asked.map(({ over }) => over),
      ['UDP', 'TCP'],
    )
  })
  await t.test('answers late', async (t) => {
    const late: (() => void)[] = []
    const { failure } = await ask(t, ({ answer, send }, limit) => {
      late.push(() => send(answer(right)))
      limit.passSoon()
    })
    t.match(failure, { code: 'TIMEOUT', message: /limit of 0.4 s/ })
    for (const send of late) send()
    t.equal((await ask(t, ({ answer, send }) => send(answer(right)))).failure, null, 'and harms nobody after')
  })
  await t.test('answers with the wrong id', async (t) => {
    const { failure } = await ask(t, ({ answer, send }, limit) => {
      const bytes = answer(right)
      bytes.writeUInt16BE(bytes.readUInt16BE(0) ^ 1, 0)
      send(bytes)
      limit.passSoon()
    })
    t.match(failure, { code: 'TIMEOUT' })
  })
})
