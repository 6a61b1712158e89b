import t from 'tap'
import { createEgress, parseNetwork } from '../../../agent/net/egress.ts'

t.test('nothing is refused by default', async (t) => {
  t.ok(createEgress({ blockedNetworks: [], allowedNetworks: [] }).allows('169.254.169.254'))
})

t.test('blocked networks are refused in every spelling of their addresses', async (t) => {
  const egress = createEgress({
    blockedNetworks: ['127.0.0.0/8', '169.254.0.0/16', '::1', 'fd00::/8'],
    allowedNetworks: [],
  })
  const refused = [
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::a9fe:a9fe',
    'fd12::1',
    'fd12::1%eth0',
  ]
  for (const address of refused) t.notOk(egress.allows(address), address)
  for (const address of ['10.0.0.1', '8.8.8.8', '2001:db8::1', '::ffff:8.8.8.8'])
    t.ok(egress.allows(address), address)
})

t.test('allowed networks are exceptions, or alone the only ones', async (t) => {
  const exceptions = createEgress({ blockedNetworks: ['10.0.0.0/8'], allowedNetworks: ['10.1.0.0/16'] })
  t.same(['10.0.0.1', '10.1.2.3', '8.8.8.8'].map(exceptions.allows), [false, true, true])
  const only = createEgress({ blockedNetworks: [], allowedNetworks: ['10.1.0.0/16'] })
  t.same(['10.0.0.1', '10.1.2.3', '8.8.8.8', '::1'].map(only.allows), [false, true, false, false])
})

t.test('networks are addresses with an optional prefix', async (t) => {
  t.same(parseNetwork('10.0.0.0/8'), { address: '10.0.0.0', prefix: 8 })
  t.same(parseNetwork('::1'), { address: '::1', prefix: 128 })
  for (const wrong of ['', 'ten', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '10.0.0.0/-1'])
    t.equal(parseNetwork(wrong), null, wrong)
})
