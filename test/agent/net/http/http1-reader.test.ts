import t from 'tap'
import type { ResponseHead } from '../../../../agent/net/http/http1-head.ts'
import { createResponseReader, type Progress } from '../../../../agent/net/http/http1-reader.ts'
import { fc } from '../../../support/fast-check.ts'

type Read = { head: ResponseHead | null; body: string; progress: Progress; ended: Progress }

/** Reads the parts as they come, each in a buffer that is somebody else's afterwards; then the end of the connection. */
const read = (parts: readonly Buffer[], method = 'GET'): Read => {
  const result: Read = { head: null, body: '', progress: 'more', ended: 'more' }
  const reader = createResponseReader(method, {
    head: (head) => {
      result.head = head
    },
    body: (part) => {
      result.body += part.toString('latin1')
    },
  })
  for (const part of parts) {
    if (result.progress !== 'more') break
    const lent = Buffer.from(part)
    result.progress = reader.push(lent)
    lent.fill(0)
  }
  result.ended = result.progress === 'more' ? reader.close() : result.progress
  return result
}

const whole = (text: string, method = 'GET'): Read => read([Buffer.from(text, 'latin1')], method)

const examples: Record<string, { text: string; body: string; status: number; method?: string }> = {
  'by length': {
    text: 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello ignored',
    body: 'hello',
    status: 200,
  },
  'by an agreeing list of lengths': {
    text: 'HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nhi',
    body: 'hi',
    status: 200,
  },
  'by chunks': {
    text: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3;a=b\r\nabc\r\n02\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n',
    body: 'abcde',
    status: 200,
  },
  'by chunks even when a length is there': {
    text: 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
    body: 'a',
    status: 200,
  },
  'by the end of the connection': {
    text: 'HTTP/1.0 200 OK\r\n\r\nall of it',
    body: 'all of it',
    status: 200,
  },
  'nowhere after 204': {
    text: 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n',
    body: '',
    status: 204,
  },
  'nowhere after HEAD': {
    text: 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n',
    body: '',
    status: 200,
    method: 'HEAD',
  },
  'after interim answers': {
    text: 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx',
    body: 'x',
    status: 200,
  },
  'with bare line feeds': { text: 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok', body: 'ok', status: 200 },
  'without a reason': { text: 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', body: '', status: 200 },
}

t.test('the body ends', async (t) => {
  for (const [name, { text, body, status, method }] of Object.entries(examples)) {
    const result = whole(text, method)
    t.equal(result.ended, 'done', name)
    t.equal(result.head?.status, status)
    t.equal(result.body, body)
  }
})

t.test('any fragmentation of the same bytes reads the same', async (t) => {
  for (const [name, { text, method }] of Object.entries(examples)) {
    const bytes = Buffer.from(text, 'latin1')
    const expected = whole(text, method)
    fc.assert(
      fc.property(fc.array(fc.nat({ max: bytes.length })), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length]
        const parts = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
        t.same(
          read(
            parts.filter(({ length }) => length > 0),
            method,
          ),
          expected,
        )
      }),
      { numRuns: 30 },
    )
    t.pass(name)
  }
})

t.test('headers are lower case, lists are joined, cookies are not, folded lines are unfolded', async (t) => {
  const { head } = whole(
    'HTTP/1.1 200 Very Good\r\nX-A: 1\r\nx-a:2 \r\nSet-Cookie: a\r\nSet-Cookie: b\r\nLong: one\r\n  two\r\n__proto__: p\r\n\r\n',
  )
  t.same(
    { ...head?.headers },
    { 'x-a': '1, 2', 'set-cookie': ['a', 'b'], long: 'one two', ['__proto__']: 'p' },
  )
  t.equal(head?.statusText, 'Very Good')
})

t.test('what breaks the protocol is refused', async (t) => {
  const broken = [
    'HTTP/2 200\r\n\r\n',
    'ICY 200 OK\r\n\r\n',
    'HTTP/1.1 099 Low\r\n\r\n',
    'HTTP/1.1 200 OK\r\nbad name: x\r\n\r\n',
    'HTTP/1.1 200 OK\r\nname : x\r\n\r\n',
    'HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n'.repeat(20),
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n',
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(9000)}`,
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${'x: y\r\n'.repeat(20_000)}`,
  ]
  for (const text of broken)
    t.match(whole(text).progress, { code: 'MALFORMED_RESPONSE' }, JSON.stringify(text.slice(0, 60)))
  t.match(whole(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}`).progress, { code: 'HEADERS_TOO_LARGE' })
})

t.test('a response that stops early is not complete', async (t) => {
  for (const text of [
    '',
    'HTTP/1.1 200',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
  ])
    t.equal(read(text === '' ? [] : [Buffer.from(text)]).ended, 'more', JSON.stringify(text))
})

t.test('arbitrary bytes never throw', async () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1 })), (parts) => {
      read(parts.map((part) => Buffer.from(part)))
    }),
  )
})
