// Runs in test:all only: it packs and unpacks archives that are as large as may be.
/** Archives that are small and hold much: how soon it is seen. */
import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { createArchiveReader } from '../../../../../control-plane/monitoring/definitions/code-bundles/archive-reader.ts'
import { project } from '../../../../support/bundles.ts'
import { type TarInput, tarOf } from '../../../../support/tar.ts'

const pieceBytes = 4096

/** As an upload brings it: what was said of it, and how many of its bytes were taken by then. */
const read = async (bytes: Buffer): Promise<{ problem: string | null; taken: number }> => {
  const reader = createArchiveReader()
  let taken = 0
  try {
    for (; taken < bytes.length; taken += pieceBytes)
      await reader.take(bytes.subarray(taken, taken + pieceBytes))
    await reader.end()
    return { problem: null, taken: bytes.length }
  } catch (error) {
    return { problem: (error as Error).message, taken }
  } finally {
    reader.close()
  }
}

const entries = (count: number, of: (index: number) => Partial<TarInput>): TarInput[] =>
  Array.from({ length: count }, (_, index) => ({ path: `folder/${index}`, ...of(index) }))

t.test('what is small and holds much is refused by its first bytes', async (t) => {
  const zeros = Buffer.alloc(256 * 1024 * 1024)
  const cases: [what: string, bytes: Buffer, problem: RegExp][] = [
    ['nothing but zeros', gzipSync(zeros), /holds no files/],
    [
      'zeros behind the end',
      Buffer.concat([gzipSync(tarOf(project)), gzipSync(zeros)]),
      /goes on for more than 1 MB behind its end/,
    ],
    [
      'a file of zeros',
      gzipSync(tarOf([...project, { path: 'zeros', content: zeros }])),
      /more than 100 times what it takes/,
    ],
    ['empty files', gzipSync(tarOf([...project, ...entries(100_001, () => ({}))])), /hold nothing/],
    [
      'empty folders',
      gzipSync(tarOf([...project, ...entries(100_001, () => ({ type: '5' }))])),
      /hold nothing/,
    ],
  ]
  for (const [what, bytes, problem] of cases) {
    const seen = await read(bytes)
    t.match(seen.problem, problem, what)
    // Node holds 64 KB before anybody looks.
    t.ok(
      seen.taken <= 64 * 1024 + 0.2 * bytes.length,
      `${what}: ${seen.taken} of ${bytes.length} bytes were read`,
    )
  }
})

t.test('projects are not: most of their files hold something', async (t) => {
  const many = entries(6000, (index) =>
    index % 3 === 0 ? { type: '5' } : { content: `export default ${index}` },
  )
  const fixture = { path: 'rows.csv', content: '1,2,3,4,5,6,7,8,9,ten,eleven\n'.repeat(300_000) }
  const picture = { path: 'picture.png', content: randomBytes(300_000) }
  for (const more of [many, [fixture, picture]])
    t.match(await read(gzipSync(tarOf([...project, ...more]))), { problem: null })
})
