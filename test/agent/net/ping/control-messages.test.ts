import t from 'tap'
import { readControl } from '../../../../agent/net/ping/control-messages.ts'

const message = (level: number, type: number, data: Buffer): Buffer => {
  const bytes = Buffer.alloc(Math.ceil((16 + data.length) / 8) * 8)
  bytes.writeUInt32LE(16 + data.length, 0)
  bytes.writeInt32LE(level, 8)
  bytes.writeInt32LE(type, 12)
  data.copy(bytes, 16)
  return bytes
}

const stamp = (seconds: bigint, nanoseconds: bigint): Buffer => {
  const bytes = Buffer.alloc(16)
  bytes.writeBigInt64LE(seconds, 0)
  bytes.writeBigInt64LE(nanoseconds, 8)
  return bytes
}

const nothing = { at: null, hopLimit: null, error: null }

t.test('the time of arrival and the hop limit of either family are read', async (t) => {
  const four = [message(1, 35, stamp(1_700_000_000n, 250_000n)), message(0, 2, Buffer.from([57, 0, 0, 0]))]
  t.same(readControl(Buffer.concat(four)), { at: 1_700_000_000_000.25, hopLimit: 57, error: null })
  t.same(readControl(message(41, 52, Buffer.from([64, 0, 0, 0]))), { ...nothing, hopLimit: 64 })
})

t.test('an ICMP error is read with the address of who sent it', async (t) => {
  const four = Buffer.from(
    '71000000020301000000000000000000' + '02000000c0000201' + '0000000000000000',
    'hex',
  )
  t.same(readControl(message(0, 11, four)).error, { type: 3, code: 1, from: '192.0.2.1' })
  const address = '20010db8000000000000000000000001'
  const six = Buffer.from(`71000000030100000000000000000000${'0a00000000000000'}${address}00000000`, 'hex')
  t.same(readControl(message(41, 25, six)).error, { type: 1, code: 0, from: '2001:db8::1' })
  t.same(readControl(message(0, 11, four.subarray(0, 16))).error, { type: 3, code: 1, from: null })
})

t.test('what is foreign, cut or wrong is passed over', async (t) => {
  t.same(readControl(Buffer.alloc(0)), nothing)
  t.same(readControl(message(7, 7, Buffer.alloc(16))), nothing)
  t.same(readControl(message(1, 35, Buffer.alloc(4))), nothing)
  t.same(readControl(message(1, 35, stamp(1n, 0n)).subarray(0, 20)), nothing)
  t.same(readControl(Buffer.alloc(64)), nothing, 'a length of zero ends the reading')
})
