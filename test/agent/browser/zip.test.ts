import t from 'tap'
import { scrubEntry } from '../../../agent/browser/scrub-trace.ts'
import { readZip, writeZip } from '../../../agent/browser/zip.ts'

t.test('an archive is read as it was written, within its bounds', async (t) => {
  const entries = [
    { name: 'trace.trace', bytes: Buffer.from('x'.repeat(10_000)) },
    { name: 'resources/é.bin', bytes: Buffer.from([0, 1, 2]) },
  ]
  const zip = writeZip(entries)
  t.ok(zip.length < 1000)
  t.strictSame(readZip(zip, 20_000), entries)
  t.throws(() => readZip(zip, 9000))
  t.throws(() => readZip(zip.subarray(0, -30), 20_000), /not a whole archive/)
  t.throws(() => readZip(Buffer.from('nothing'), 20_000), /not a whole archive/)
})

t.test('credentials go out of the lines of a trace, whether they are secrets or not', async (t) => {
  const line = {
    headers: [
      { name: 'Authorization', value: 'Bearer abc' },
      { name: 'accept', value: 'text/html' },
    ],
    extraHTTPHeaders: { Cookie: 'a=b' },
    cookies: [{ name: 'session', value: 'of-ann' }],
    httpCredentials: { username: 'ann', password: 'guess' },
    text: 'the secret word',
  }
  const bytes = Buffer.from(`${JSON.stringify(line)}\n{"cut": "of`)
  const [first, last] = scrubEntry({ name: 'a.network', bytes }, ['secret word']).bytes.toString().split('\n')
  const clean = JSON.parse(first ?? '')
  t.match(clean.headers, [{ value: '[secret]' }, { value: 'text/html' }])
  t.match(clean, { cookies: [{ name: 'session', value: '[secret]' }], text: 'the [secret]' })
  t.match(clean, { extraHTTPHeaders: { Cookie: '[secret]' }, httpCredentials: { password: '[secret]' } })
  t.equal(last, '{}')
})
