import t from 'tap'
import { type CheckIo, offeredTypes } from '../../../agent/checks/index.ts'

t.test('types that need no browser are offered before it is known', async (t) => {
  const started = { browsers: { known: () => null }, model: null } as unknown as CheckIo
  t.strictSame(offeredTypes(started), ['URL', 'API', 'TCP', 'SSL', 'GRPC', 'ICMP', 'TRACEROUTE', 'DNS'])
})
