import t from 'tap'
import { describeFailure, hostAndPort } from '../../../../agent/net/connect/failures.ts'

t.test('the port cannot be taken for a part of the address', async (t) => {
  t.equal(hostAndPort('example.com', 443), 'example.com:443')
  t.equal(hostAndPort('192.0.2.1', 80), '192.0.2.1:80')
  t.equal(hostAndPort('::1', 80), '[::1]:80')
  t.equal(hostAndPort('::ffff:7f00:1', 8080), '[::ffff:7f00:1]:8080')
})

t.test('a way that may be prohibited is not called missing', async (t) => {
  const at = { host: '192.0.2.1', address: '192.0.2.1', port: 443, elapsedMs: 3, phase: 'connect' } as const
  for (const code of ['EHOSTUNREACH', 'EACCES'])
    t.match(describeFailure(Object.assign(new Error(code), { code }), at), {
      code,
      message: /192\.0\.2\.1:443.* administratively prohibited/,
      network: true,
    })
})
