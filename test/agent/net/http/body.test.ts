import { randomBytes } from 'node:crypto'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { createBodyKeeper, maxBodyBytes } from '../../../../agent/net/http/body.ts'
import { maxImageBytes } from '../../../../agent/net/http/stored-body.ts'

const mb = 1024 * 1024

const read = (coding: string, body: Buffer, keepBytes: number) => {
  const keeper = createBodyKeeper(coding, keepBytes)
  for (let at = 0; at < body.length; at += 64 * 1024)
    if (keeper.add(body.subarray(at, at + 64 * 1024)) === 'full') break
  return keeper.end()
}

t.test('a bomb is decoded no further than its start where nobody looks at more', async (t) => {
  const { body, problem } = await read('gzip', gzipSync(Buffer.alloc(64 * mb)), maxImageBytes)
  t.same([body.truncated, body.bytes.length], [true, maxImageBytes])
  t.ok(body.bodyBytes > mb && body.bodyBytes < 2 * mb, `${body.bodyBytes} bytes`)
  t.equal(problem, null)
})

t.test('whoever asserts on the body gets as much of it as of any other', async (t) => {
  const { body } = await read('gzip', gzipSync(Buffer.alloc(64 * mb)), maxBodyBytes)
  t.same([body.truncated, body.bodyBytes, body.bytes.length], [true, maxBodyBytes, maxBodyBytes])
})

t.test('a large body that shrinks as text does is decoded and counted to its end', async (t) => {
  const lines = Array.from(
    { length: 60_000 },
    () => `${'the same words again '.repeat(4)}${randomBytes(1).toString('hex')}`,
  )
  const text = Buffer.from(lines.join('\n'))
  const { body } = await read('gzip', gzipSync(text), maxImageBytes)
  t.ok(text.length > 3 * mb)
  t.same([body.truncated, body.bodyBytes], [false, text.length])
})

t.test('a small body may shrink as much as it likes', async (t) => {
  const { body } = await read('br', brotliCompressSync(Buffer.alloc(mb)), maxImageBytes)
  t.same([body.truncated, body.bodyBytes], [false, mb])
})

t.test('a bomb that never ends is read up to the cap like any other body', async (t) => {
  const keeper = createBodyKeeper('gzip', maxImageBytes)
  keeper.add(gzipSync(Buffer.alloc(64 * mb)))
  await new Promise((resolve) => setImmediate(resolve))
  const part = Buffer.alloc(64 * 1024)
  let parts = 1
  while (keeper.add(part) === 'more') parts += 1
  t.ok(parts * part.length <= maxBodyBytes + part.length)
  t.equal((await keeper.end()).body.truncated, true)
})

t.test('deflate is zlib or raw, in pieces of any size', async (t) => {
  const text = Buffer.from('the same words again '.repeat(100))
  for (const encoded of [deflateSync(text), deflateRawSync(text), deflateRawSync(text, { level: 0 })])
    for (const size of [1, 7, encoded.length]) {
      const keeper = createBodyKeeper('deflate', maxImageBytes)
      for (let at = 0; at < encoded.length; at += size) keeper.add(encoded.subarray(at, at + size))
      const { body, problem } = await keeper.end()
      t.same([body.bytes.toString(), problem], [text.toString(), null])
    }
})

t.test('deflate that is neither, or ends early, is a problem; what follows its end is not', async (t) => {
  const text = Buffer.from('the same words again')
  const invalid = { code: 'CONTENT_DECODING', message: 'sent a body that is not valid deflate' }
  for (const broken of [
    Buffer.from([0x78, 0x9c, 1, 2, 3]),
    Buffer.from([0xff, 0xff, 0xff]),
    deflateSync(text).subarray(0, 12),
    deflateRawSync(text).subarray(0, 8),
  ])
    t.match(await read('deflate', broken, maxImageBytes), { problem: invalid })
  for (const encoded of [deflateSync(text), deflateRawSync(text)]) {
    const { body, problem } = await read(
      'deflate',
      Buffer.concat([encoded, Buffer.alloc(200_000)]),
      maxImageBytes,
    )
    t.same([body.bytes.toString(), problem], [text.toString(), null])
  }
})

t.test('a raw bomb is decoded no further than its start, alone and inside another coding', async (t) => {
  const bomb = deflateRawSync(Buffer.alloc(64 * mb))
  for (const [coding, bytes] of [
    ['deflate', bomb],
    ['deflate, gzip', gzipSync(bomb)],
  ] as const) {
    const { body } = await read(coding, bytes, maxImageBytes)
    t.equal(body.truncated, true)
    t.ok(body.bodyBytes > mb && body.bodyBytes < 8 * mb, `${coding}: ${body.bodyBytes} bytes`)
  }
})

t.test('HEAD announces deflate without a body', async (t) => {
  t.match(await createBodyKeeper('deflate', maxImageBytes).end(), { body: { bodyBytes: 0 }, problem: null })
})
