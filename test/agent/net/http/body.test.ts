import { randomBytes } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
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
