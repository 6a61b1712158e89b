import t from 'tap'
import { addressBytes } from '../../../../agent/net/evidence/address-bytes.ts'

t.test('addresses are read as packets carry them', async (t) => {
  const cases: [string, string | null][] = [
    ['192.0.2.255', 'c00002ff'],
    ['::', '00'.repeat(16)],
    ['::1', `${'00'.repeat(15)}01`],
    ['2001:db8::8:800:200c:417a', '20010db80000000000080800200c417a'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['fe80::1%eth0', 'fe800000000000000000000000000001'],
    ['::ffff:192.0.2.1', 'c0000201'],
    ['64:ff9b::192.0.2.1', '0064ff9b0000000000000000c0000201'],
    ['example.com', null],
    ['', null],
  ]
  for (const [text, bytes] of cases) t.equal(addressBytes(text)?.toString('hex') ?? null, bytes, text)
})
