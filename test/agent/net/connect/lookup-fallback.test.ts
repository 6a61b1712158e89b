import t, { type Test } from 'tap'
import { runIcmp } from '../../../../agent/checks/icmp.ts'
import { runTcp } from '../../../../agent/checks/tcp.ts'
import { runUrl } from '../../../../agent/checks/url.ts'
import type { Lookup } from '../../../../agent/net/connect/lookup.ts'
import { withLookupFallback } from '../../../../agent/net/connect/lookup-fallback.ts'
import type { RealIo } from '../../../../agent/program/real-io.ts'
import type { IcmpSpec } from '../../../../protocol/checks/icmp.ts'
import type { TcpSpec } from '../../../../protocol/checks/tcp.ts'
import type { UrlSpec } from '../../../../protocol/checks/url.ts'
import { agentIo } from '../../../support/agent-io.ts'
import { urlSpec } from '../../../support/fake-control-plane.ts'
import { address, nameServer } from '../../../support/name-server.ts'
import { runContext } from '../../../support/run-context.ts'

const serverFailure = 2
const nameError = 3
const refused = 5
const signal = new AbortController().signal

/** An agent with IPv6 whose name server knows addresses of one family, of none, and a name that does not exist. */
const resolving = async (t: Test): Promise<RealIo> => {
  const { port } = await nameServer(t, ({ packet, answer, send }) => {
    const [{ name, type } = { name: '', type: 'A' }] = packet.questions ?? []
    if (name === 'gone.example') send(answer([], { rcode: nameError }))
    else if (name === 'broken.example') send(answer([], { rcode: serverFailure }))
    else if (name === 'refused.example') send(answer([], { rcode: refused }))
    else if (name === 'four.example' && type === 'A') send(answer([address(name, '127.0.0.1')]))
    else if (name === 'six.example' && type === 'AAAA') send(answer([{ type: 'AAAA', name, data: '::1' }]))
    else if (name !== 'half.example' || type === 'AAAA') send(answer([]))
  })
  return { ...agentIo({ dnsServers: [`127.0.0.1:${port}`] }), hasIpv6: () => true }
}

type Family = 'IPv4' | 'IPv6'

const url = (host: string, ipFamily: Family, io: RealIo) =>
  runUrl(urlSpec(`http://${host}/`, { ipFamily }) as UrlSpec, io, runContext(io, signal))

const tcp = (hostname: string, ipFamily: Family, io: RealIo) =>
  runTcp(
    { request: { hostname, port: 80, ipFamily, data: '', assertions: [] }, shouldFail: false } as TcpSpec,
    io,
    runContext(io, signal),
  )

const icmp = (hostname: string, ipFamily: Family, io: RealIo) =>
  runIcmp(
    { request: { hostname, ipFamily, pingCount: 1, assertions: [] } } as unknown as IcmpSpec,
    io,
    runContext(io, signal),
  )

t.test(
  'a name without an address of the family that a check pins, and with one of the other, is told so',
  async (t) => {
    const io = await resolving(t)
    const noIpv6 = 'The name four.example has no IPv6 address (AAAA record), only an IPv4 address (A record)'
    const noIpv4 = 'The name six.example has no IPv4 address (A record), only an IPv6 address (AAAA record)'
    for (const run of [url, tcp, icmp]) {
      const code = { code: 'ENOTFOUND', network: true }
      t.strictSame((await run('four.example', 'IPv6', io)).failure, { ...code, message: noIpv6 }, run.name)
      t.strictSame((await run('six.example', 'IPv4', io)).failure, { ...code, message: noIpv4 }, run.name)
    }
  },
)

t.test('a name that does not exist, or has no address at all, keeps its sentence', async (t) => {
  const io = await resolving(t)
  for (const host of ['gone.example', 'none.example'])
    t.match((await url(host, 'IPv6', io)).failure, {
      code: 'ENOTFOUND',
      message: `The name ${host} does not exist or has no address`,
    })
})

t.test('a name server that fails or refuses is told so, by the code of its answer', async (t) => {
  const io = await resolving(t)
  for (const run of [url, tcp, icmp]) {
    t.match((await run('broken.example', 'IPv4', io)).failure, {
      code: 'ESERVFAIL',
      message: 'The name server answered SERVFAIL for broken.example: it failed to resolve the name',
    })
    t.match((await run('refused.example', 'IPv4', io)).failure, {
      code: 'EREFUSED',
      message: 'The name server answered REFUSED for refused.example',
    })
  }
})

t.test('where the machine only says "again", its name servers are asked what they answered', async (t) => {
  const io = await resolving(t)
  const again: Lookup = async () => {
    throw Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' })
  }
  const asking = { ...io, lookup: withLookupFallback(again, { clock: io.clock, askServers: io.lookup }) }
  t.match((await url('broken.example', 'IPv4', asking)).failure, { code: 'ESERVFAIL', message: /SERVFAIL/ })
  for (const host of ['half.example', 'gone.example', 'four.example'])
    t.match((await url(host, 'IPv4', asking)).failure, {
      code: 'EAI_AGAIN',
      message: /^The name server did not answer for/,
    })
})

t.test('a name server that leaves the second question unanswered keeps nobody for long', async (t) => {
  const io = await resolving(t)
  const { failure, responseTime } = await url('half.example', 'IPv6', io)
  t.match(failure, { code: 'ENOTFOUND', message: /does not exist or has no address$/ })
  t.ok((responseTime ?? 0) < 4000, `${responseTime} ms`)
})
