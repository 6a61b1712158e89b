/** Messages of SOCKS5 as bytes, and back. */

import t from 'tap'
import {
  failureReply,
  readGreeting,
  readReplies,
  readReply,
  readRequest,
  requestBytes,
  successReply,
} from '../../../agent/egress-proxy/socks.ts'
import { fc } from '../../support/fast-check.ts'

t.test('what one side writes the other one reads', async (t) => {
  const hosts = ['example.com', 'a'.repeat(255), '127.0.0.1', '::1', '2001:db8::1:0:0:2', 'ff02::']
  for (const host of hosts) {
    const bytes = requestBytes({ command: 1, host, port: 65_535 })
    t.same(readGreeting(bytes), { value: true, length: 3 })
    const rest = bytes.subarray(3)
    t.same(readRequest(rest), { value: { command: 1, host, port: 65_535 }, length: rest.length }, host)
    for (let length = 0; length < rest.length; length += 1)
      t.equal(readRequest(rest.subarray(0, length)), 'more')
  }
})

t.test('replies have the address that was reached, or why none was', async (t) => {
  for (const address of ['192.0.2.1', '2001:db8::1', '::'])
    t.same(readReply(successReply(address, 80)), {
      value: { succeeded: true, text: address },
      length: address.includes(':') ? 22 : 10,
    })
  t.match(readReply(successReply('fe80::1%eth0', 80)), { value: { text: 'fe80::1' } })
  t.match(readReply(successReply(null, 80)), { value: { succeeded: true, text: '0.0.0.0' } })
  const greeted = Buffer.concat([Buffer.from([5, 0]), failureReply('ECONNREFUSED', '192.0.2.1')])
  t.match(readReplies(greeted), { value: { succeeded: false, text: 'ECONNREFUSED 192.0.2.1' } })
  t.equal(greeted[3], 5, 'as the protocol numbers it')
  t.equal(failureReply('PROXY_REFUSED', null)[1], 1)
})

t.test('no bytes make a reader throw', async () => {
  const start = fc.constantFrom([], [5], [5, 1], [5, 1, 0, 3], [5, 1, 0, 4], [5, 0])
  fc.assert(
    fc.property(start, fc.uint8Array({ maxLength: 300 }), (first, rest) => {
      const bytes = Buffer.from([...first, ...rest])
      for (const read of [readGreeting, readRequest, readReply, readReplies]) {
        const found = read(bytes)
        if (typeof found === 'object' && found.length > bytes.length) return false
      }
      return true
    }),
  )
})
