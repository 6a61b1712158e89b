import t from 'tap'
import { hostAndPort } from '../../../../agent/net/connect/failures.ts'

t.test('the port cannot be taken for a part of the address', async (t) => {
  t.equal(hostAndPort('example.com', 443), 'example.com:443')
  t.equal(hostAndPort('192.0.2.1', 80), '192.0.2.1:80')
  t.equal(hostAndPort('::1', 80), '[::1]:80')
  t.equal(hostAndPort('::ffff:7f00:1', 8080), '[::ffff:7f00:1]:8080')
})
