/** Checks of every type against names and spellings that try to lead where BLOCKED_NETWORKS forbids. */
import dgram from 'node:dgram'
import t from 'tap'
import { runJob } from '../../agent/jobs/run-job.ts'
import type { IoOptions } from '../../agent/program/real-io.ts'
import type { Job } from '../../protocol/job.ts'
import { agentIo } from '../support/agent-io.ts'
import { urlJob, urlSpec } from '../support/fake-control-plane.ts'
import { address, nameServer } from '../support/name-server.ts'
import { httpServer } from '../support/servers.ts'

const observe = async (job: Partial<Job>, io: Partial<IoOptions>) => {
  const { outcome } = await runJob(urlJob('', job), agentIo(io), new AbortController())
  if (outcome.kind !== 'observed') throw new Error(JSON.stringify(outcome))
  return outcome.observation
}

const get = (url: string): Partial<Job> => ({ spec: urlSpec(url) })

const tcp = (hostname: string, port: number): Partial<Job> => ({
  checkType: 'TCP',
  spec: { request: { hostname, port, data: null, ipFamily: 'IPv4', assertions: [] }, shouldFail: false },
})

const ping = (hostname: string, ipFamily = 'IPv4'): Partial<Job> => ({
  checkType: 'ICMP',
  spec: {
    request: { hostname, ipFamily, pingCount: 1, assertions: [] },
    degradedPacketLossThreshold: 10,
    maxPacketLossThreshold: 20,
    shouldFail: false,
  },
})

const dns = (name: string, port: number): Partial<Job> => ({
  checkType: 'DNS',
  spec: {
    request: {
      query: 'a.example',
      recordType: 'A',
      nameServer: name,
      port,
      protocol: 'UDP',
      assertions: [],
    },
    shouldFail: false,
  },
})

const blocked = { code: 'BLOCKED_BY_POLICY', network: false }

t.test('a name that changes its address after it was judged', async (t) => {
  let asked = 0
  const server = await nameServer(t, ({ packet, answer, send }) => {
    const [{ name, type } = { name: '', type: 'A' }] = packet.questions ?? []
    if (type !== 'A') return send(answer([]))
    asked += 1
    // Allowed when it is asked first, the metadata service ever after.
    send(answer([{ ...address(name, asked === 1 ? '127.0.0.1' : '169.254.169.254'), ttl: 0 } as never]))
  })
  const io = { dnsServers: [`127.0.0.1:${server.port}`] }
  const target = await httpServer(t, ({ url }, response) =>
    url === '/again'
      ? response.writeHead(302, { location: `http://rebind.example:${target.port}/` }).end()
      : response.end('the one that was judged'),
  )
  const first = await observe(get(`http://rebind.example:${target.port}/`), io)
  t.match(first, { failure: null, detail: { response: { remoteAddress: '127.0.0.1' } } })
  t.equal(asked, 1, 'the connection goes to what was judged, and nobody is asked again')
  asked = 0
  t.match((await observe(get(`http://rebind.example:${target.port}/again`), io)).failure, {
    ...blocked,
    message: /rebind.example:\d+ \(169.254.169.254\) .*metadata service/,
  })
  for (const job of [tcp('rebind.example', 80), ping('rebind.example'), dns('rebind.example', 53)])
    t.match((await observe(job, io)).failure, blocked, job.checkType ?? '')
})

t.test('a name with one address inside and one outside is tried at the one outside only', async (t) => {
  const server = await nameServer(t, ({ packet, answer, send }) => {
    const [{ name } = { name: '' }] = packet.questions ?? []
    send(answer([address(name, '169.254.169.254'), address(name, '127.0.0.1')]))
  })
  const target = await httpServer(t, (_, response) => response.end())
  const io = { dnsServers: [`127.0.0.1:${server.port}`] }
  const { detail } = await observe(get(`http://both.example:${target.port}/`), io)
  t.match(detail, { response: { remoteAddress: '127.0.0.1' } })
})

t.test('odd spellings of an address are the address', async (t) => {
  const target = await httpServer(t, (_, response) => response.end())
  const io = { blockedNetworks: ['127.0.0.0/8', '::1'] }
  const spellings = [
    ...[
      '127.0.0.1',
      '127.1',
      '0x7f.1',
      '0x7f000001',
      '2130706433',
      '0177.0.0.1',
      '017700000001',
      '127.0.0.1.',
    ],
    ...[
      '0.0.0.0',
      '0',
      '[::ffff:127.0.0.1]',
      '[::FFFF:7f00:1]',
      '[0:0:0:0:0:0:0:1]',
      '[::]',
      '[64:ff9b::7f00:1]',
    ],
    ...['１２７.0.0.1', '%31%32%37.0.0.1', 'LOCALHOST'],
  ]
  for (const spelling of spellings)
    t.match((await observe(get(`http://${spelling}:${target.port}/`), io)).failure, blocked, spelling)
  // The system's resolver reads what inet_aton(3) does.
  for (const spelling of [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '0.0.0.0',
    '[::1]',
    '::1',
  ])
    t.match((await observe(tcp(spelling, target.port), io)).failure, blocked, `TCP ${spelling}`)
  for (const spelling of ['127.0.0.1', '0x7f.1', '0.0.0.0'])
    t.match((await observe(ping(spelling), io)).failure, blocked, `ICMP ${spelling}`)
  t.match((await observe(ping('::ffff:127.0.0.1', 'IPv6'), io)).failure, blocked)
  t.equal(target.connections(), 0)
})

t.test('datagrams are held by the policy too', async (t) => {
  const socket = dgram.createSocket('udp4')
  let received = 0
  socket.on('message', () => {
    received += 1
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise<void>((resolve) => socket.close(resolve)))
  const io = { blockedNetworks: ['127.0.0.0/8'] }
  for (const name of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])
    t.match((await observe(dns(name, socket.address().port), io)).failure, blocked, name)
  t.match((await observe(dns('169.254.169.253', 53), {})).failure, blocked)
  t.equal(received, 0)
})

t.test('redirects are judged hop by hop', async (t) => {
  for (const place of [
    'http://169.254.169.254/latest/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://0xa9fea9fe/',
  ]) {
    const server = await httpServer(t, (_, response) => response.writeHead(307, { location: place }).end())
    t.match((await observe(get(server.origin), {})).failure, { ...blocked, message: /metadata/ }, place)
  }
})
