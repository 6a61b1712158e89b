// Runs in test:all only: it waits for packets in networks of its own.
/** Which address is pinged, and why one cannot be. */
import t from 'tap'
import { observe, seen, skip } from '../../support/observed-pings.ts'

t.test('names', { skip }, async (t) => {
  const names = { both: ['127.0.0.1', '::1'], six: ['::1'], nobody: [], silent: 'never' as const }
  const cases = [
    { hostname: 'both' },
    { hostname: 'both', ipFamily: 'IPv6' as const },
    { hostname: 'six' },
    { hostname: 'nobody' },
  ].map((change) => ({ change, names }))
  const ran = observe(t, 'ping-group-range', [
    ...cases,
    { change: { hostname: 'silent' }, names, deadlineMs: 1000 },
  ])
  const [four, six, none, nobody, silent] = ran.map((each) => seen(t, each))
  t.match(four?.response, { hostname: 'both', resolvedIp: '127.0.0.1' })
  t.match(six?.response, { hostname: 'both', resolvedIp: '::1' })
  t.match(none, { failure: { code: 'ENOTFOUND', network: true, message: /six/ }, response: null })
  t.match(nobody?.detail, { requestError: nobody?.failure?.message, response: null })
  t.match(silent?.failure, { code: 'TIMEOUT', message: /^The address of silent was still being looked up/ })
})

t.test('IPv4 takes over where IPv6 is switched off', { skip }, async (t) => {
  const off = [
    'echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6',
    'echo 1 > /proc/sys/net/ipv6/conf/lo/disable_ipv6',
  ]
  const names = { both: ['127.0.0.1', 'fd00::1'] }
  const ran = observe(
    t,
    'ping-group-range',
    [{ change: { hostname: 'both', ipFamily: 'IPv6' }, names }, { change: { hostname: 'fd00::1' } }],
    off,
  )
  const [named, literal] = ran.map((each) => seen(t, each))
  t.match(named, { failure: null, response: { resolvedIp: '127.0.0.1', ipFamily: 'IPv4' } })
  t.match(literal?.failure, { network: true, message: /fd00::1/ })
})

t.test('what cannot leave this machine is explained', { skip }, async (t) => {
  const prepare = [
    'ip route add unreachable 192.0.2.1',
    'ip route add prohibit 192.0.2.2',
    'ip route add blackhole 192.0.2.3',
    'ip link add v0 type veth peer name v1',
    'ip link set v0 up',
    'ip link set v1 up',
    'ip addr add fe80::5/64 dev v0 nodad',
  ]
  const ran = observe(
    t,
    'ping-group-range',
    [
      '192.0.2.1',
      '192.0.2.2',
      '192.0.2.3',
      '198.51.100.1',
      '127.0.0.1',
      'fe80::5',
      'fe80::5%no',
      'fe80::5%v0',
    ].map((hostname) => ({
      change: { hostname },
      blockedNetworks: ['127.0.0.0/8'],
    })),
    prepare,
  )
  const failures = ran.map((each) => seen(t, each).failure)
  t.match(failures, [
    { code: 'EHOSTUNREACH', message: 'There is no route to 192.0.2.1', network: true },
    { code: 'EACCES', message: /prohibits 192\.0\.2\.2/ },
    { code: 'EINVAL', message: /drops what is for 192\.0\.2\.3/ },
    { code: 'ENETUNREACH', message: 'The network of 198.51.100.1 cannot be reached' },
    { code: 'BLOCKED_BY_POLICY', network: false },
    { code: 'EINVAL', message: /^The link-local address fe80::5 needs the name of an interface/ },
    { code: 'EINVAL', message: /fe80::5%no needs the name of an interface/ },
    null,
  ])
})
