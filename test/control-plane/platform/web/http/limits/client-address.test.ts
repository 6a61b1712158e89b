import t from 'tap'
import type { ConfigError } from '../../../../../../control-plane/platform/settings/reading.ts'
import {
  clientNetwork,
  siteNetwork,
} from '../../../../../../control-plane/platform/web/http/limits/address-network.ts'
import { clientOf } from '../../../../../../control-plane/platform/web/http/limits/client-address.ts'
import {
  forwardedHops,
  hopAddress,
  xForwardedHops,
} from '../../../../../../control-plane/platform/web/http/limits/forwarded.ts'
import { readConfig } from '../../../../../../control-plane/read-config.ts'
import { networkList } from '../../../../../../protocol/networks/network-list.ts'
import { randomFrom } from '../../../../../support/random.ts'

const proxies = networkList(['10.0.0.0/8', '127.0.0.1', 'fd00::/8'])
const client = (headers: Record<string, string>, peer = '10.0.0.1') => clientOf({ peer, headers }, proxies)
const xff = (value: string, peer?: string) => client({ 'x-forwarded-for': value }, peer)
const forwarded = (value: string, peer?: string) => client({ forwarded: value }, peer)

t.test('X-Forwarded-For is read from its end, as far as the proxies are ours', async (t) => {
  const rows: Array<[header: string, client: string]> = [
    ['203.0.113.7', '203.0.113.7'],
    ['198.51.100.9, 203.0.113.7', '203.0.113.7'],
    ['198.51.100.9, 203.0.113.7, 10.1.2.3, 10.0.0.9', '203.0.113.7'],
    ['10.9.9.9, 10.1.2.3', '10.9.9.9'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['[2001:db8::7]:4711, fd00::1', '2001:db8::7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['203.0.113.7, ::ffff:10.0.0.4', '203.0.113.7'],
    ['203.0.113.7, unknown', '10.0.0.1'],
    ['203.0.113.7, unknown, 10.0.0.5', '10.0.0.5'],
    ['nonsense', '10.0.0.1'],
    ['', '10.0.0.1'],
    [',, 203.0.113.7 ,,', '203.0.113.7'],
    ['1.2.3', '10.0.0.1'],
    ['fe80::1%eth0', '10.0.0.1'],
  ]
  for (const [header, wanted] of rows) t.equal(xff(header), wanted, header)
  t.equal(xff('198.51.100.9', '203.0.113.7'), '203.0.113.7', 'from anybody else it counts nothing')
})

t.test('Forwarded: RFC 7239 in all its forms', async (t) => {
  const rows: Array<[header: string, client: string]> = [
    ['for=203.0.113.7', '203.0.113.7'],
    ['For="203.0.113.7:47011"', '203.0.113.7'],
    ['for="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::17'],
    ['for="[2001:db8:cafe::17]"', '2001:db8:cafe::17'],
    ['for=203.0.113.7;proto=http;by=203.0.113.43', '203.0.113.7'],
    ['proto=http;host="a,b;c";for=203.0.113.7', '203.0.113.7'],
    ['for=198.51.100.9, for=203.0.113.7, for=10.0.0.3', '203.0.113.7'],
    ['for="203.0.113.7:_port"', '203.0.113.7'],
    ['for="203.0\\.113.7"', '203.0.113.7'],
    ['for=203.0.113.7:80', '203.0.113.7'],
    ['for=203.0.113.7, for=unknown', '10.0.0.1'],
    ['for=203.0.113.7, for=_hidden;by=10.0.0.1, for=10.0.0.5', '10.0.0.5'],
    ['by=10.0.0.1', '10.0.0.1'],
    ['for=203.0.113.7,', '203.0.113.7'],
  ]
  for (const [header, wanted] of rows) t.equal(forwarded(header), wanted, header)
  for (const broken of [
    'for="203.0.113.7',
    'for=a b',
    'for',
    'for=203.0.113.7;for=198.51.100.9',
    '=x',
    '"',
    'for = 1.2.3.4',
  ])
    t.equal(forwardedHops(broken), null, broken)
  t.equal(forwarded('for=", for=203.0.113.7'), '10.0.0.1', 'what a client broke names nobody else')
})

t.test('two headers that name different clients name none', async (t) => {
  const both = (a: string, b: string) => client({ forwarded: a, 'x-forwarded-for': b })
  t.equal(both('for=203.0.113.7', '198.51.100.9, 203.0.113.7'), '203.0.113.7')
  t.equal(both('for=198.51.100.66', '203.0.113.7'), '10.0.0.1', 'one of them is the client’s own')
  t.equal(both('"', '203.0.113.7'), '10.0.0.1')
})

t.test('both headers say the same of the same way, whatever a client wrote before it', async (t) => {
  const random = randomFrom(5)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const ours = ['10.0.0.7', '10.200.0.1', 'fd00::5', '127.0.0.1']
  const others = [
    '203.0.113.7',
    '198.51.100.1',
    '2001:db8::1',
    '2001:db8:1:2:3:4:5:6',
    'unknown',
    '_hidden',
    'x',
  ]
  const ports = ['', ':80', ':65535', ':_p']
  const element = (hop: string, port: string): string =>
    hop.includes(':')
      ? `for="[${hop}]${port}"`
      : pick([`for="${hop}${port}"`, `FOR="${hop}${port}";proto=https`])
  for (let round = 0; round < 3000; round++) {
    const hops = Array.from({ length: Math.floor(random() * 6) }, () => pick(random() < 0.5 ? ours : others))
    const told = hops.map((hop) => ({ hop, port: hop.includes('.') || hop.includes(':') ? pick(ports) : '' }))
    const inX = told.map(({ hop, port }) =>
      hop.includes(':') && port !== '' ? `[${hop}]${port}` : `${hop}${port}`,
    )
    const inForwarded = told.map(({ hop, port }) => element(hop, port))
    const [a, b] = [inX.join(', '), inForwarded.join(pick([',', ', ', ' ,\t']))]
    if (String(forwardedHops(b)) !== String(xForwardedHops(a)))
      t.strictSame(forwardedHops(b), xForwardedHops(a), b)
    const wanted = xff(a)
    if (forwarded(b) !== wanted) t.equal(forwarded(b), wanted, b)
    // The rightmost that is none of ours, by another way of saying it.
    const last = hops.findLastIndex((hop) => !ours.includes(hop))
    const named = last === -1 ? hops[0] : hopAddress(hops[last] ?? '') === null ? hops[last + 1] : hops[last]
    if (wanted !== (named ?? '10.0.0.1')) t.equal(wanted, named ?? '10.0.0.1', a)
    const spoofed = xff(['198.51.100.66', ...inX].join(', '))
    if (last !== -1 && spoofed !== wanted) t.equal(spoofed, wanted, a)
  }
})

t.test('a header of any bytes is read in a moment', async (t) => {
  const random = randomFrom(3)
  const bytes = '"\\;,= for[]:.1a\t'
  for (let round = 0; round < 3000; round++) {
    const header = Array.from({ length: 40 }, () => bytes[Math.floor(random() * bytes.length)]).join('')
    const hops = forwardedHops(header)
    if (hops?.some((hop) => hop !== null && hopAddress(hop) === null)) t.fail(header)
  }
  const long = ['for="', '"\\'.repeat(8000), ' '.repeat(16_000), 'for=1;'.repeat(2600), '['.repeat(16_000)]
  for (const header of long) t.ok(forwardedHops(header) !== undefined)
})

t.test('IPv6 is counted by its /64, and where there are too many by its /48', async (t) => {
  t.equal(clientNetwork('203.0.113.7'), '203.0.113.7')
  t.equal(clientNetwork('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  t.equal(clientNetwork('2001:db8:1:2::1'), clientNetwork('2001:0DB8:1:2:ffff::'))
  t.not(clientNetwork('2001:db8:1:2::1'), clientNetwork('2001:db8:1:3::1'))
  t.equal(clientNetwork('::1'), '0:0:0:0::/64')
  t.equal(siteNetwork('2001:db8:1:2::1'), '2001:db8:1::/48')
  t.equal(siteNetwork('203.0.113.7'), '203.0.113.0/24')
})

t.test('TRUSTED_PROXIES is checked at the start', async (t) => {
  t.strictSame(readConfig({}).trustedProxies, [])
  const problems = (value: string): readonly string[] => {
    try {
      readConfig({ TRUSTED_PROXIES: value })
      return []
    } catch (error) {
      return (error as ConfigError).problems
    }
  }
  t.strictSame(problems('10.0.0.1, fd00::/8 loopback'), [])
  t.strictSame(problems('10.0.0.0/33, proxy.example, 0.0.0.0/0, ::/0'), [
    'TRUSTED_PROXIES: 10.0.0.0/33 is not an address, a network (CIDR), loopback or private',
    'TRUSTED_PROXIES: proxy.example is not an address, a network (CIDR), loopback or private',
    'TRUSTED_PROXIES: 0.0.0.0/0 would let every client name any address as its own',
    'TRUSTED_PROXIES: ::/0 would let every client name any address as its own',
  ])
})
