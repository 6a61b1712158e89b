/** A trace that is too large is kept without what makes it so, which is named; what cannot be made smaller is refused. */
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { cleanArchive } from '../../../agent/browser/clean-archive.ts'
import { readZip, writeZip } from '../../../agent/browser/zip.ts'

const events = (attached: object[]): Buffer =>
  Buffer.from(
    `${JSON.stringify({ type: 'before', title: 'pay with 4711' })}\n${JSON.stringify({ type: 'after', attachments: attached })}\n{"attachments": cut`,
  )

const trace = (resources: Record<string, Buffer>, attached: object[] = []): Buffer =>
  writeZip([
    { name: 'test.trace', bytes: events(attached) },
    { name: '0-trace.trace', bytes: Buffer.from('{"type":"context-options"}\n') },
    ...Object.entries(resources).map(([name, bytes]) => ({ name: `resources/${name}`, bytes })),
  ])

const namesIn = (zip: Buffer): string[] => readZip(zip, 1e9).map(({ name }) => name)

t.test('one that has room is kept whole', async (t) => {
  const { zip, dropped } = cleanArchive(trace({ a: randomBytes(500) }), ['4711'], {
    packed: 5000,
    bytes: 5000,
  })
  t.strictSame(dropped, [])
  t.strictSame(namesIn(zip), ['test.trace', '0-trace.trace', 'resources/a'])
  t.notMatch(readZip(zip, 5000)[0]?.bytes.toString(), '4711')
})

t.test('the largest go first, by the names that tests gave, and as few as it takes', async (t) => {
  const resources = { small: randomBytes(1000), film: randomBytes(9000), picture: randomBytes(4000) }
  const attached = [
    { name: 'a film', contentType: 'video/webm', sha1: 'film' },
    { name: 'small one', sha1: 'small' },
    { name: 'in its line' },
  ]
  const one = cleanArchive(trace(resources, attached), [], { packed: 8000, bytes: 1e6 })
  t.strictSame(one.dropped, [{ name: 'the attachment "a film"', bytes: 9000 }])
  t.strictSame(namesIn(one.zip), ['test.trace', '0-trace.trace', 'resources/small', 'resources/picture'])
  const two = cleanArchive(trace(resources, attached), [], { packed: 4000, bytes: 1e6 })
  t.strictSame(two.dropped, [
    { name: 'the attachment "a film"', bytes: 9000 },
    { name: 'a file of a page', bytes: 4000 },
  ])
})

t.test('what is small in the archive and large outside counts by both', async (t) => {
  const { dropped, zip } = cleanArchive(trace({ zeros: Buffer.alloc(50_000), other: randomBytes(100) }), [], {
    packed: 5000,
    bytes: 10_000,
  })
  t.match(dropped, [{ bytes: 50_000 }])
  t.ok(namesIn(zip).includes('resources/other'))
})

t.test('what tells what happened never goes: then it cannot be kept', async (t) => {
  const zip = writeZip([
    { name: 'test.trace', bytes: Buffer.from(JSON.stringify({ at: randomBytes(5000).toString('base64') })) },
    { name: 'resources/a', bytes: randomBytes(100) },
  ])
  t.throws(() => cleanArchive(zip, [], { packed: 3000, bytes: 1e6 }), { message: /^it is larger than / })
  t.throws(() => cleanArchive(zip, [], { packed: 1e6, bytes: 3000 }))
})
