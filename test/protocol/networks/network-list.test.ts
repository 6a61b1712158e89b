import t from 'tap'
import { networkList, parseNetwork } from '../../../protocol/networks/network-list.ts'

const wrong = ['', 'ten', '10.0.0/8', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', '::/129']

t.test('networks are addresses with an optional prefix', async (t) => {
  t.same(parseNetwork('10.0.0.0/8'), { address: '10.0.0.0', prefix: 8 })
  t.same(parseNetwork('::1'), { address: '::1', prefix: 128 })
  for (const text of wrong) t.equal(parseNetwork(text), null, text)
})

t.test('a list has the addresses of its networks, IPv4 also as mapped IPv6', async (t) => {
  const list = networkList(['10.1.0.0/16', 'fd00::/8', '192.168.7.7'])
  for (const address of ['10.1.2.3', 'fd12::1', '192.168.7.7', '::ffff:10.1.2.3'])
    t.ok(list.has(address), address)
  for (const address of ['10.2.0.1', 'fc00::1', '192.168.7.8', '::1', 'host', ''])
    t.notOk(list.has(address), address)
  for (const text of wrong) t.throws(() => networkList([text]), { message: `${text} is not a network` })
})
