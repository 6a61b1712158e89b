import t from 'tap'
import { carriedIpv4, reachedAddress } from '../../../protocol/networks/ipv4-in-ipv6.ts'
import { fc } from '../../support/fast-check.ts'

t.test('the address that a connection reaches', async (t) => {
  const rows: Array<[text: string, reached: string]> = [
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::FFFF:a00:1', '10.0.0.1'],
    ['64:ff9b::a00:1', '10.0.0.1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['0.0.0.0', '127.0.0.1'],
    ['::ffff:0.0.0.0', '127.0.0.1'],
    ['0:0:0:0:0:0:0:0', '::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['host', 'host'],
  ]
  for (const [text, reached] of rows) t.equal(reachedAddress(text), reached, text)
})

t.test('the addresses that an address carries', async (t) => {
  const rows: Array<[address: string, carried: string[]]> = [
    ['2002:a00:1::', ['10.0.0.1']],
    ['2001:0:a00:1::f5ff:fffe', ['10.0.0.1', '10.0.0.1']],
    ['64:ff9b:1::a00:1', ['10.0.0.1']],
    ['::10.0.0.1', ['10.0.0.1']],
    ['2001:db8::5efe:10.0.0.1', ['10.0.0.1']],
    ['2001:db8::200:5efe:a00:1', ['10.0.0.1']],
    ['::1', []],
    ['2001:db8::a00:1', []],
    ['10.0.0.1', []],
    ['host', []],
  ]
  for (const [address, carried] of rows) t.strictSame(carriedIpv4(address), carried, address)
})

t.test('any IPv4 address is found in every spelling', async () => {
  const hex = (high: number, low: number): string => ((high << 8) | low).toString(16)
  fc.assert(
    fc.property(
      fc.ipV4().filter((ip) => !ip.startsWith('0.')),
      (ip) => {
        const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number)
        const groups = `${hex(a, b)}:${hex(c, d)}`
        return (
          [`::ffff:${ip}`, `::ffff:${groups}`, `64:ff9b::${groups}`].every(
            (text) => reachedAddress(text) === ip,
          ) &&
          [`2002:${groups}::1`, `::${groups}`, `64:ff9b:1::${groups}`].every(
            (text) => carriedIpv4(text)[0] === ip,
          )
        )
      },
    ),
  )
})
