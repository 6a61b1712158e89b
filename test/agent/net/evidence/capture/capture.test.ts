// Runs in a process of its own: it looks for the children of its process.
// Runs in test:all only: it waits for packets in networks of its own.
import dgram from 'node:dgram'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import t, { type Test } from 'tap'
import { DeadlinePassed } from '../../../../../agent/base/deadline.ts'
import type { Artifact } from '../../../../../agent/base/run-log.ts'
import { runUrl } from '../../../../../agent/checks/url.ts'
import type { IoOptions, RealIo } from '../../../../../agent/program/real-io.ts'
import type { UrlSpec } from '../../../../../protocol/checks/url.ts'
import { agentIo, recordingLog } from '../../../../support/agent-io.ts'
import { capturing } from '../../../../support/capturing.ts'
import { urlSpec } from '../../../../support/fake-control-plane.ts'
import { nameServer } from '../../../../support/name-server.ts'
import { descendants } from '../../../../support/processes.ts'
import { endsWith, scratchFolder, spawnAgent } from '../../../../support/programs.ts'
import { runContext } from '../../../../support/run-context.ts'
import { closedPort, httpServer, tcpServer } from '../../../../support/servers.ts'
import { inTraceLab, traceLabProblem } from '../../../../support/trace-lab.ts'
import { tshark, tsharkProblem } from '../../../../support/tshark.ts'

/** Null where packets can be captured, otherwise why the tests that need it are skipped. */
const captureError = async (): Promise<string | null> => {
  const io = agentIo({ capture: true })
  const problem = await capturing(io)
  await io.capture.stop()
  return problem === null ? null : 'packets cannot be captured here'
}

const problem = (await captureError()) ?? tsharkProblem()
const skip = problem === null ? false : problem

const start = async (t: Test, options: Partial<IoOptions> = {}): Promise<{ io: RealIo; lines: string[] }> => {
  const { log, lines } = recordingLog()
  const io = agentIo({ capture: true, log, ...options })
  t.teardown(() => io.capture.stop())
  t.equal(await capturing(io), null)
  return { io, lines }
}

const run = async (io: RealIo, url: string, deadlineMs = 10_000) => {
  const controller = new AbortController()
  const context = runContext(io, controller.signal)
  const { runLog } = context
  const cancel = io.clock.at(deadlineMs, () => controller.abort(new DeadlinePassed(deadlineMs)))
  const { failure } = await runUrl(urlSpec(url, {}, false) as UrlSpec, io, context)
  cancel()
  return { failure, files: runLog.artifacts(), said: runLog.lines().map(({ msg }) => msg) }
}

const pcapOf = (files: Artifact[]): Buffer => {
  const { content, contentType } = files.find(({ type }) => type === 'pcap') ?? {}
  if (!Buffer.isBuffer(content) || contentType !== 'application/vnd.tcpdump.pcap')
    throw new Error('there is no capture')
  return content
}

const nameError = 3

const fields = ['tcp.srcport', 'tcp.flags.str', 'tls.handshake.type', 'tls.handshake.extensions_server_name']

/** Flags of each packet without the dots, and its direction. */
const flagsOf = (file: Buffer, port: number): string[] =>
  tshark(file, fields).map(
    ([source, flags]) => `${Number(source) === port ? '<' : '>'}${flags?.replaceAll('·', '')}`,
  )

t.test('a refused connection is captured: what was sent and how it was refused', { skip }, async (t) => {
  const { io } = await start(t)
  const port = await closedPort()
  const { failure, files, said } = await run(io, `http://127.0.0.1:${port}/`)
  t.equal(failure?.code, 'ECONNREFUSED')
  t.same(flagsOf(pcapOf(files), port), ['>S', '<AR'])
  t.ok(said.some((line) => /^The packets of the attempt are in capture\.pcap \(\d+ bytes\)$/.test(line)))
})

t.test(
  'a connection that is broken off shows the request’s size and nothing that it says',
  { skip },
  async (t) => {
    const { io } = await start(t)
    const { port } = await tcpServer(t, (socket) => socket.once('data', () => socket.resetAndDestroy()))
    const { failure, files } = await run(io, `http://user:geheimnis@127.0.0.1:${port}/?token=geheimnis`)
    t.equal(failure?.code, 'ECONNRESET')
    const file = pcapOf(files)
    const flags = flagsOf(file, port)
    t.same(flags.slice(0, 4), ['>S', '<AS', '>A', '>AP'])
    t.ok(flags.includes('<AR'))
    t.ok(tshark(file, ['tcp.len']).some(([length]) => Number(length) > 100))
    t.notMatch(file.toString('latin1'), /geheimnis|HTTP|Z2VoZW/)
  },
)

t.test('a TLS handshake that is broken off shows the client’s hello', { skip }, async (t) => {
  const { io } = await start(t)
  const { port } = await tcpServer(t, (socket) => socket.once('data', () => socket.resetAndDestroy()))
  const { failure, files } = await run(io, `https://localhost:${port}/`)
  t.equal(failure?.code, 'ECONNRESET')
  const hello = tshark(pcapOf(files), fields).find(([, , type]) => type === '1')
  t.equal(hello?.[3], 'localhost', 'with the name of the server')
  t.ok(flagsOf(pcapOf(files), port).includes('<AR'))
})

t.test('a server that never answers is captured until the deadline', { skip }, async (t) => {
  const { io } = await start(t)
  const { port } = await tcpServer(t, () => undefined)
  const { failure, files, said } = await run(io, `http://127.0.0.1:${port}/`, 300)
  t.equal(failure?.code, 'TIMEOUT')
  t.same(flagsOf(pcapOf(files), port).slice(0, 5), ['>S', '<AS', '>A', '>AP', '<A'])
  t.ok(
    said.some((line) => /^The kernel says of the connection: ESTABLISHED, round trip 0\.\d+ ms/.test(line)),
  )
})

t.test('200 failures at once have each their own packets, and share one traceroute', { skip }, async (t) => {
  const { io } = await start(t)
  const port = await closedPort()
  const runs = await Promise.all(Array.from({ length: 200 }, () => run(io, `http://127.0.0.1:${port}/`)))
  const ports = runs.map(({ files }) => {
    const file = pcapOf(files)
    // Ports of the first packet, which is the SYN: after the file's header, the record's and IP's.
    return file.readUInt16BE(24 + 16 + 20)
  })
  t.equal(new Set(ports).size, 200)
  const traced = runs.filter(({ files }) => files.some(({ name }) => name === 'traceroute.json'))
  const without = runs.filter(({ said }) =>
    said.some((line) => /^No traceroute: it was under way/.test(line)),
  )
  t.equal(traced.length + without.length, 200)
  t.ok(traced.length >= 20, `${traced.length} carry it`)
})

t.test('a check that does not fail at the network leaves nothing behind', { skip }, async (t) => {
  const { io } = await start(t)
  const { origin } = await httpServer(t, (request, response) => {
    response.statusCode = request.url === '/broken' ? 500 : 200
    response.end()
  })
  t.match(await run(io, origin), { failure: null, files: { length: 0 }, said: { length: 0 } })
  t.match(await run(io, `${origin}/broken`), { failure: { code: 'HTTP_STATUS' }, files: { length: 0 } })
})

const rings = (pid: number): number[] => descendants(pid, 'tcpdump')

const until = async (io: RealIo, holds: () => boolean): Promise<boolean> => {
  const by = io.clock.monotonic() + 20_000
  while (!holds() && io.clock.monotonic() < by) await io.clock.sleep(20)
  return holds()
}

const foldersOf = (pid: number): string[] => {
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  return command.filter((word) => word.startsWith(tmpdir())).map((word) => word.replace(/\/ring\.pcap$/, ''))
}

t.test(
  'the questions to name servers of the agent’s own are captured, on whatever port',
  { skip },
  async (t) => {
    const { port } = await nameServer(t, ({ answer, send }) => send(answer([], { rcode: nameError })))
    const { io } = await start(t, { dnsServers: [`127.0.0.1:${port}`] })
    const { failure, files } = await run(io, 'http://gone.example/')
    t.equal(failure?.code, 'ENOTFOUND')
    const packets = tshark(pcapOf(files), ['udp.srcport', 'udp.dstport'])
    t.ok(packets.some(([, target]) => target === String(port)))
    t.ok(packets.some(([source]) => source === String(port)))
  },
)

t.test('a tcpdump that is late is waited for', { skip }, async (t) => {
  const { io } = await start(t)
  const [ring] = rings(process.pid)
  process.kill(ring as number, 'SIGSTOP')
  io.clock.at(1000, () => process.kill(ring as number, 'SIGCONT'))
  const port = await closedPort()
  const { files, said } = await run(io, `http://127.0.0.1:${port}/`)
  t.same(flagsOf(pcapOf(files), port), ['>S', '<AR'])
  t.same(
    said.filter((line) => /missing|not whole|behind/.test(line)),
    [],
  )
})

t.test('one that does not come is given up, and the run says so', { skip }, async (t) => {
  const { io } = await start(t)
  const [ring] = rings(process.pid)
  process.kill(ring as number, 'SIGSTOP')
  const port = await closedPort()
  const { files, said } = await run(io, `http://127.0.0.1:${port}/`)
  process.kill(ring as number, 'SIGCONT')
  t.ok(said.some((line) => /^No packet capture: tcpdump was still behind after \d+\.\d s$/.test(line)))
  t.notOk(files.some(({ type }) => type === 'pcap'))
  const later = await run(io, `http://127.0.0.1:${port}/`)
  t.same(flagsOf(pcapOf(later.files), port), ['>S', '<AR'], 'the next failure has its packets again')
})

/** Sends datagrams that are captured until the ring has overwritten its first file. */
const overwrite = async (io: RealIo, port: number): Promise<void> => {
  const [folder] = foldersOf(rings(process.pid)[0] as number)
  const begin = (): string => {
    const path = `${folder}/ring.pcap0`
    return existsSync(path) ? readFileSync(path).subarray(24, 64).toString('hex') : ''
  }
  const socket = io.datagrams('udp4')
  const datagram = Buffer.alloc(500)
  const first = begin()
  for (const by = io.clock.monotonic() + 60_000; begin() === first && io.clock.monotonic() < by; ) {
    for (let burst = 0; burst < 10; burst += 1) {
      for (let count = 0; count < 100; count += 1) socket.send(datagram, port, '127.0.0.1')
      await io.clock.sleep(0)
    }
  }
  socket.close()
}

t.test('a capture whose beginning was overwritten says so', { skip }, async (t) => {
  const sink = dgram.createSocket('udp4')
  await new Promise<void>((resolve) => sink.bind(0, '127.0.0.1', resolve))
  t.teardown(() => sink.close())
  const { io } = await start(t, { dnsServers: [`127.0.0.1:${sink.address().port}`] })
  // So that the first file has a packet.
  const before = await run(io, `http://127.0.0.1:${await closedPort()}/`)
  t.ok(pcapOf(before.files))
  const { port } = await tcpServer(t, (socket) =>
    socket.once('data', async () => {
      await overwrite(io, sink.address().port)
      socket.resetAndDestroy()
    }),
  )
  const { failure, files, said } = await run(io, `http://127.0.0.1:${port}/`, 90_000)
  t.equal(failure?.code, 'ECONNRESET')
  t.same(flagsOf(pcapOf(files), port), ['<AR'])
  t.ok(
    said.some((line) =>
      /^The capture is not whole: the packets of its first \d+\.\d s have been overwritten$/.test(line),
    ),
  )
})

t.test('a tcpdump that dies is started again, and its end is said once', { skip }, async (t) => {
  const { io, lines } = await start(t)
  const [first] = rings(process.pid)
  process.kill(first as number, 'SIGKILL')
  t.ok(await until(io, () => io.capture.problem() !== null))
  t.match(io.capture.problem(), 'tcpdump has ended and is started again')
  t.ok(await until(io, () => io.capture.problem() === null))
  t.notSame(rings(process.pid), [first])
  const port = await closedPort()
  t.ok(pcapOf((await run(io, `http://127.0.0.1:${port}/`)).files))
  t.equal(lines.filter((line) => /^the packet capture has ended/.test(line)).length, 1)
})

t.test('tcpdump and its files go when the capture stops', { skip }, async (t) => {
  const { io } = await start(t)
  const [ring] = rings(process.pid)
  const [folder] = foldersOf(ring as number)
  t.ok(readdirSync(folder as string).some((name) => name.startsWith('ring.pcap')))
  await io.capture.stop()
  t.same(rings(process.pid), [])
  t.notOk(existsSync(folder as string))
})

t.test('and when the agent is killed', { skip }, async (t) => {
  const { io } = await start(t)
  await io.capture.stop()
  const spoolDir = await scratchFolder(t)
  const env = { CAPTURE: 'on', LOG_LEVEL: 'info' }
  const agent = endsWith(t, spawnAgent({ url: 'http://127.0.0.1:9', spoolDir, env }))
  await agent.line(/the packets of failing checks are captured/)
  const [ring] = rings(agent.pid)
  const [folder] = foldersOf(ring as number)
  await agent.end('SIGKILL')
  t.ok(await until(io, () => !existsSync(`/proc/${ring}`)), 'tcpdump has ended')
  t.ok(await until(io, () => !existsSync(folder as string)), 'its files are gone')
})

const labProblem = traceLabProblem()
t.test(
  'without the privilege the agent says once what is needed, and failing runs say it too',
  { skip: labProblem ?? skip },
  async (t) => {
    const refused = { url: 'http://10.77.3.1:8080/', deadlineMs: 2000 }
    const results = inTraceLab({ as: 'nobody', capture: true, checks: [refused, refused] })
    const words = /tcpdump may not capture: it needs the capability NET_RAW/
    t.match(results.at(-1)?.agentLog, [/^failing checks carry no packet capture: tcpdump may not capture/])
    t.equal(results.at(-1)?.agentLog.length, 1)
    for (const { log, files } of results) {
      t.ok(log.some((line) => words.test(line)))
      t.same(
        files.map(({ name }) => name),
        ['traceroute.json', 'traceroute.txt'],
      )
    }
  },
)

t.test('with it, an error of a router is part of the capture', { skip: labProblem ?? skip }, async (t) => {
  const [result] = inTraceLab({
    as: 'root',
    capture: true,
    checks: [{ url: 'http://10.77.3.1:8080/', deadlineMs: 4000 }],
    faults: ['ip -n second route add prohibit 10.77.3.1/32'],
  })
  const file = Buffer.from(result?.files.find(({ type }) => type === 'pcap')?.base64 ?? '', 'base64')
  const packets = tshark(file, ['ip.src', 'icmp.type', 'icmp.code'])
  t.match(packets[0]?.[0], /^10\.77\.1\.1/)
  t.ok(
    packets.some(([source, type, code]) => source?.startsWith('10.77.2.2') && type === '3' && code === '13'),
  )
})
