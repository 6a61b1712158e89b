import t from 'tap'
import { runners } from '../../../agent/checks/index.ts'
import { allowedTargets, isTargetPattern } from '../../../agent/probe/allowed-targets.ts'
import { probeModules, readProbe } from '../../../agent/probe/probe-request.ts'

const read = (query: Record<string, string>) => readProbe(new URLSearchParams(query))

const good: Array<[query: Record<string, string>, host: string]> = [
  [{ target: 'https://shop.example/a?b' }, 'shop.example'],
  [{ target: 'shop.example' }, 'shop.example'],
  [{ target: 'shop.example:8080/x', module: 'http_post_2xx' }, 'shop.example'],
  [{ target: 'http://allowed.example@10.0.0.1/', module: 'http_2xx' }, '10.0.0.1'],
  [{ target: 'http://0x7f.1/', module: 'http_2xx' }, '127.0.0.1'],
  [{ target: 'http://[::1]:80/', module: 'http_2xx' }, '::1'],
  [{ target: 'db.example:5432', module: 'tcp_connect' }, 'db.example'],
  [{ target: '[fd00::1]:22', module: 'tcp_connect' }, 'fd00::1'],
  [{ target: 'router.example', module: 'icmp' }, 'router.example'],
  [{ target: '192.0.2.1', module: 'dns_udp', query_name: 'example.com' }, '192.0.2.1'],
  [{ target: '192.0.2.1:5353', module: 'dns_tcp', query_name: 'example.com', query_type: 'mx' }, '192.0.2.1'],
  [{ target: 'shop.example', module: 'tls_connect' }, 'shop.example'],
  [{ target: '[fd00::1]:8443', module: 'tls_connect' }, 'fd00::1'],
  [{ target: 'orders.example:443', module: 'grpc' }, 'orders.example'],
  [{ target: '[fd00::1]:50051', module: 'grpc', tls: 'false', service: 'orders.v1' }, 'fd00::1'],
  [{ target: 'router.example', module: 'traceroute' }, 'router.example'],
  [{ target: '192.0.2.1:80', module: 'traceroute' }, '192.0.2.1'],
]

t.test('each module makes a job that its runner takes', async (t) => {
  for (const [query, host] of good) {
    const probe = read(query)
    if ('problem' in probe) throw new Error(`${JSON.stringify(query)}: ${probe.problem}`)
    t.equal(probe.host, host)
    t.match(runners[probe.checkType]?.validate(probe.spec), { ok: true }, JSON.stringify(query))
  }
  t.strictSame(
    new Set(good.map(([{ module = 'http_2xx' }]) => module)),
    new Set(probeModules.keys()),
    'all of them',
  )
})

t.test('what cannot be understood is refused with a reason', async (t) => {
  const bad: Array<[query: Record<string, string>, problem: RegExp]> = [
    [{}, /target/],
    [{ target: 'x'.repeat(2001) }, /target/],
    [{ target: 'ftp://shop.example/' }, /http or https/],
    [{ target: 'file:///etc/passwd' }, /http or https/],
    [{ target: 'http://', module: 'http_post_2xx' }, /http or https/],
    [{ target: 'x', module: 'ssh_banner' }, /module must be one of/],
    [{ target: 'x', module: 'constructor' }, /module must be one of/],
    [{ target: 'db.example', module: 'tcp_connect' }, /a host and a port/],
    [{ target: 'db.example:0', module: 'tcp_connect' }, /a host and a port/],
    [{ target: 'db.example:99999', module: 'tcp_connect' }, /a host and a port/],
    [{ target: 'a b', module: 'icmp' }, /a host/],
    [{ target: 'https://shop.example/', module: 'tls_connect' }, /a host/],
    [{ target: 'shop.example:0', module: 'tls_connect' }, /a host/],
    [{ target: 'orders.example', module: 'grpc' }, /a host and a port/],
    [{ target: 'a b', module: 'traceroute' }, /a host/],
    [{ target: 'shop.example:99999', module: 'traceroute' }, /a host/],
    [{ target: 'shop.example:443', module: 'icmp' }, /a host/],
    [{ target: '192.0.2.1', module: 'dns_udp' }, /query_name/],
    [{ target: '192.0.2.1', module: 'dns_udp', query_name: 'x', query_type: 'ANY' }, /query_type/],
  ]
  for (const [query, problem] of bad) t.match(read(query), { problem }, JSON.stringify(query))
})

t.test('what a token may probe', async (t) => {
  const isAllowed = allowedTargets(['shop.example', '*.corp.example', '10.1.0.0/16', 'fd00::/8'])
  for (const host of [
    'shop.example',
    'SHOP.example.',
    'a.corp.example',
    'a.b.corp.example',
    '10.1.2.3',
    'fd00::1',
  ])
    t.ok(isAllowed(host), host)
  for (const host of [
    'example',
    'www.shop.example',
    'shop.example.evil.example',
    'corp.example',
    'evilcorp.example',
    '10.2.0.1',
    '127.0.0.1',
    '::1',
    '169.254.169.254',
    '',
  ])
    t.notOk(isAllowed(host), host)
  t.ok(allowedTargets(['*'])('anything.example'))
  t.ok(['*', 'a.example', '*.a.example', '10.0.0.0/8', '::1'].every(isTargetPattern))
  t.notOk(['', 'a*', '*a.example', 'http://a', 'a/b', '10.0.0.0/33', '**'].some(isTargetPattern))
})
