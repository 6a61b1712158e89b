/** Archives of projects, by the system's own tar and by hand: what is refused leaves nothing outside of its folder. */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { createProjectTree } from '../../../../agent/browser/suite/project-tree.ts'
import { unpack } from '../../../../agent/browser/suite/unpack.ts'
import { tarOf } from '../../../support/tar.ts'
import { temporaryFolder } from '../../../support/test-agent.ts'

const unpacked = async (t: Test, archive: Buffer, { entries = 1000, bytes = 1e6 } = {}) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'bundle'), archive)
  const tree = await createProjectTree(join(folder, 'project'), null, entries)
  await unpack(join(folder, 'bundle'), tree, { maxBytes: bytes })
  return { folder, project: tree.folder, tree }
}

t.test("an archive of the system's own tar comes out as it went in", async (t) => {
  const source = temporaryFolder(t)
  const deep = join(source, 'a'.repeat(90), 'b'.repeat(90), 'é'.repeat(60))
  mkdirSync(deep, { recursive: true })
  writeFileSync(join(deep, 'deep.txt'), 'deep')
  writeFileSync(join(source, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(join(source, 'large.bin'), Buffer.alloc(100_001, 7))
  mkdirSync(join(source, 'node_modules/.bin'), { recursive: true })
  symlinkSync('../../run.sh', join(source, 'node_modules/.bin/run'))
  for (const format of ['gnu', 'pax', 'posix']) {
    const archive = execFileSync('tar', [`--format=${format}`, '-czf', '-', '-C', source, '.'])
    const { project } = await unpacked(t, archive)
    t.equal(readFileSync(deep.replace(source, project).concat('/deep.txt'), 'utf8'), 'deep', format)
    t.equal(readFileSync(join(project, 'large.bin')).compare(Buffer.alloc(100_001, 7)), 0)
    t.equal(lstatSync(join(project, 'run.sh')).mode & 0o777, 0o700)
    t.equal(lstatSync(join(project, 'large.bin')).mode & 0o777, 0o600)
    t.equal(readlinkSync(join(project, 'node_modules/.bin/run')), '../../run.sh')
  }
})

t.test('a second name of a file is a copy', async (t) => {
  const { project } = await unpacked(
    t,
    gzipSync(
      tarOf([
        { path: 'a', content: 'text' },
        { path: 'b', type: '1', target: 'a' },
      ]),
    ),
  )
  t.equal(readFileSync(join(project, 'b'), 'utf8'), 'text')
  t.equal(lstatSync(join(project, 'b')).nlink, 1)
})

const refused: [string, Parameters<typeof tarOf>[0], RegExp][] = [
  ['a path that climbs', [{ path: '../out', content: 'x' }], /leads out of its folder/],
  ['one that climbs in the middle', [{ path: 'a/../../out', content: 'x' }], /leads out of its folder/],
  ['an absolute path', [{ path: '/tmp/out', content: 'x' }], /is an absolute path/],
  ['a link that leads out', [{ path: 'a', type: '2', target: '../out' }], /leads out of the project/],
  ['an absolute link', [{ path: 'a', type: '2', target: '/etc/passwd' }], /leads out of the project/],
  [
    'a link that climbs behind a name',
    [
      { path: 'p/q/up', type: '2', target: '../..' },
      { path: 'l', type: '2', target: 'p/q/up/../out' },
    ],
    /leads out of the project/,
  ],
  [
    'a file behind a link',
    [
      { path: 'd', type: '5' },
      { path: 'l', type: '2', target: 'd' },
      { path: 'l/file', content: 'x' },
    ],
    /is a link and a folder/,
  ],
  [
    'a file in place of a link',
    [
      { path: 'l', type: '2', target: 'd' },
      { path: 'l', content: 'x' },
    ],
    /more than once/,
  ],
  ['a second name of what it does not have', [{ path: 'a', type: '1', target: 'b' }], /does not have/],
  ['a second name of a file outside', [{ path: 'a', type: '1', target: '../../etc/passwd' }], /leads out/],
  ['a character device', [{ path: 'a', type: '3' }], /is a device/],
  ['a block device', [{ path: 'a', type: '4' }], /is a device/],
  ['a pipe', [{ path: 'a', type: '6' }], /is a pipe/],
  ['a kind of its own', [{ path: 'a', type: 'Z' }], /does not know/],
  ['a name with a backslash', [{ path: 'a\\..\\b', content: 'x' }], /no path that is taken/],
  [
    'a file without a name',
    [
      { path: './', type: '0', content: '' },
      { path: '.', content: 'x' },
    ],
    /without a name/,
  ],
]

for (const [what, entries, words] of refused)
  t.test(`${what} is refused`, async (t) => {
    await t.rejects(unpacked(t, gzipSync(tarOf(entries))), { name: 'BundleError', message: words })
    t.notOk(existsSync('/tmp/out'))
  })

t.test('bombs are refused before they go off', async (t) => {
  const zeros = gzipSync(tarOf([{ path: 'zeros', content: '\0'.repeat(3_000_000) }]))
  t.ok(zeros.length < 10_000)
  await t.rejects(unpacked(t, zeros), { name: 'BundleError', message: /more than 1 MB/ })
  const copies = [...Array(20).keys()].map((n) => ({ path: `copy-${n}`, type: '1', target: 'a' }))
  await t.rejects(unpacked(t, gzipSync(tarOf([{ path: 'a', content: 'x'.repeat(100_000) }, ...copies]))), {
    message: /more than 1 MB/,
  })
  const many = [...Array(50).keys()].map((n) => ({ path: `f${n}`, content: '' }))
  await t.rejects(unpacked(t, gzipSync(tarOf(many)), { entries: 20 }), { message: /more than 20 files/ })
  const folders = [{ path: 'd/'.repeat(50), type: '5' }]
  await t.rejects(unpacked(t, gzipSync(tarOf(folders)), { entries: 20 }), { message: /more than 20 files/ })
  const name = tarOf([{ path: 'x', type: 'L', content: 'n'.repeat(100_000) }])
  await t.rejects(unpacked(t, gzipSync(name)), { message: /too long/ })
})

t.test('what is damaged says so', async (t) => {
  const whole = tarOf([{ path: 'a', content: 'x'.repeat(5000) }])
  await t.rejects(unpacked(t, Buffer.from('no archive')), { name: 'BundleError', message: /gzip/ })
  await t.rejects(unpacked(t, gzipSync(Buffer.from('no tar'.repeat(200)))), { message: /no tar archive/ })
  await t.rejects(unpacked(t, gzipSync(whole.subarray(0, 2000))), { message: /in the middle/ })
  await t.rejects(unpacked(t, gzipSync(whole).subarray(0, 60)), { name: 'BundleError' })
  const wrong = Buffer.from(whole)
  wrong[3] = 120
  await t.rejects(unpacked(t, gzipSync(wrong)), { message: /damaged/ })
})
