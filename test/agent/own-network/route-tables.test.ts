import t from 'tap'
import { waysOut } from '../../../agent/own-network/route-tables.ts'

const head = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT   \n'
const byDefault = 'eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0   \n'
const linked = 'eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0   \n'
const zeros = '0'.repeat(32)
const six = (to: string, bits: string, flags: string, device: string): string =>
  `${to} ${bits} ${zeros} 00 ${zeros} 00000400 00000003 00000000 ${flags}     ${device}\n`
const ownLinks =
  six(`fe80${'0'.repeat(28)}`, '40', '00000001', 'eth0') +
  six(`ff00${'0'.repeat(28)}`, '08', '00000001', 'eth0')
const loopback = six(`${'0'.repeat(31)}1`, '80', '80200001', 'lo') + six(zeros, '00', '00200200', 'lo')

t.test("what the kernel's tables say", async (t) => {
  const cases = [
    ['no tables', null, null, null],
    ['a container without a network', head, loopback, { some: false, others: false, plugged: false }],
    [
      'an interface without an address',
      head,
      loopback + ownLinks,
      { some: false, others: false, plugged: false },
    ],
    [
      'a network without a way out of it',
      head + linked,
      loopback,
      { some: true, others: false, plugged: true },
    ],
    [
      'a default route',
      head + byDefault + linked,
      loopback + ownLinks,
      { some: true, others: true, plugged: true },
    ],
    [
      'one of IPv6 alone',
      head,
      loopback + six(zeros, '00', '00000003', 'eth0'),
      { some: true, others: true, plugged: true },
    ],
    ['IPv6 is off', head + byDefault, null, { some: true, others: true, plugged: true }],
    [
      'a route that refuses',
      head + byDefault.replace('0003', '0200'),
      '',
      { some: false, others: false, plugged: false },
    ],
    [
      'a route that is down',
      head + byDefault.replace('0003', '0002'),
      '',
      { some: false, others: false, plugged: false },
    ],
  ] as const
  for (const [what, four, sixTable, expected] of cases)
    t.same(waysOut({ four, six: sixTable, isUnplugged: () => false }), expected, what)
})

t.test('a cable that was pulled leaves its routes', async (t) => {
  const two = head + byDefault + linked.replace('eth0', 'eth1')
  for (const [unplugged, plugged] of [
    [[], true],
    [['eth0'], true],
    [['eth0', 'eth1'], false],
  ] as const)
    t.match(
      waysOut({ four: two, six: null, isUnplugged: (device) => unplugged.some((one) => one === device) }),
      {
        some: true,
        plugged,
      },
    )
})
