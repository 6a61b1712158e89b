import t from 'tap'
import {
  checksum,
  decodeEcho,
  encodeEchoRequest,
  errorWords,
} from '../../../../agent/net/ping/icmp-packet.ts'

t.test('an echo request is 64 bytes with a right checksum, and reads back', async (t) => {
  const token = Buffer.from('0123456789abcdef')
  const packet = encodeEchoRequest(4, { id: 0xbeef, sequence: 49, token })
  t.equal(packet.length, 64)
  t.equal(checksum(packet), 0, 'the sum over a message with its checksum is zero')
  t.match(decodeEcho(packet), { type: 8, code: 0, id: 0xbeef, sequence: 49 })
  t.same(decodeEcho(packet)?.data.subarray(0, 16), token)
  t.match(decodeEcho(encodeEchoRequest(6, { id: 1, sequence: 0, token })), { type: 128 })
})

t.test('less than a header is nothing', async (t) => {
  t.equal(decodeEcho(Buffer.alloc(7)), null)
  t.equal(decodeEcho(Buffer.alloc(0)), null)
})

t.test('the checksum of the example in RFC 1071', async (t) => {
  t.equal(checksum(Buffer.from('0001f203f4f5f6f7', 'hex')), ~0xddf2 & 0xffff)
})

t.test('errors have words, unknown ones their numbers', async (t) => {
  t.equal(errorWords(4, 3, 1), 'host unreachable')
  for (const code of [9, 10, 13]) t.match(errorWords(4, 3, code), /administratively prohibited$/)
  t.match(errorWords(6, 1, 1), /administratively prohibited$/)
  t.equal(errorWords(4, 3, 99), 'destination unreachable')
  t.equal(errorWords(6, 1, 0), 'no route')
  t.equal(errorWords(6, 77, 5), 'ICMP error 77, code 5')
})
