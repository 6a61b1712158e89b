import t from 'tap'
import { createEgress, isMetadataAddress } from '../../../../agent/net/connect/egress.ts'

t.test('metadata services are refused unless they are allowed, and nothing else by default', async (t) => {
  const byDefault = createEgress({ blockedNetworks: [], allowedNetworks: [] })
  const metadata = [
    ...['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
    ...['fd00:ec2::254', 'fd20:ce::254', 'fe80::a9fe:a9fe', 'fe80::a9fe:a9fe%eth0'],
    ...['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '64:ff9b::a9fe:a9fe', '64:FF9B::169.254.169.254'],
    ...['64:ff9b:1::a9fe:a9fe', '2002:a9fe:a9fe::', '2002:a9fe:a9fe::1', '::169.254.169.254'],
    ...['2001:0:a9fe:a9fe::1', '2001::5601:5601', 'fe80::5efe:169.254.169.254', '::200:5efe:a9fe:a9fe'],
  ]
  for (const address of metadata) {
    t.notOk(byDefault.allows(address), address)
    t.ok(isMetadataAddress(address), address)
  }
  const others = [
    '127.0.0.1',
    '10.0.0.1',
    '0.0.0.0',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    'fe80::1',
    '2002:808:808::1',
  ]
  for (const address of others) {
    t.ok(byDefault.allows(address), address)
    t.notOk(isMetadataAddress(address), address)
  }
  const allowed = createEgress({ blockedNetworks: [], allowedNetworks: ['169.254.169.254'] })
  t.ok(allowed.allows('169.254.169.254'))
  t.ok(allowed.allows('::ffff:169.254.169.254'))
  t.notOk(allowed.allows('169.254.170.2'))
  const exception = createEgress({ blockedNetworks: ['10.0.0.0/8'], allowedNetworks: ['169.254.0.0/16'] })
  t.same(['169.254.169.254', '10.0.0.1', '8.8.8.8'].map(exception.allows), [true, false, true])
})

t.test('an address that carries a blocked one is blocked, whatever else is allowed', async (t) => {
  const egress = createEgress({ blockedNetworks: ['10.0.0.0/8'], allowedNetworks: ['2002::/16'] })
  t.notOk(egress.allows('2002:a00:1::1'))
  t.ok(egress.allows('2002:808:808::1'))
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
