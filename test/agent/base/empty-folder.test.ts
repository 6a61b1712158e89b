/** Folders as code of users can leave them: deep, closed, full of links. */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { emptyFolder } from '../../../agent/base/empty-folder.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

t.test('no link is followed', async (t) => {
  const folder = temporaryFolder(t)
  const [outside, inside] = [join(folder, 'outside'), join(folder, 'inside')]
  for (const path of [outside, join(inside, 'a/b')]) mkdirSync(path, { recursive: true })
  writeFileSync(join(outside, 'kept'), '')
  for (const path of ['link', 'a/link', 'a/b/link']) symlinkSync(outside, join(inside, path))
  symlinkSync(join(outside, 'kept'), join(inside, 'a/file'))
  await emptyFolder(inside)
  t.same(readdirSync(inside), [])
  t.same(readdirSync(outside), ['kept'])

  symlinkSync(outside, join(folder, 'instead'))
  await t.rejects(emptyFolder(join(folder, 'instead')), { code: /ELOOP|ENOTDIR/ })
  t.same(readdirSync(outside), ['kept'])
})

const skip = platform() !== 'linux' && 'other systems have no paths by descriptors'

t.test('paths may be longer than the kernel takes', { skip }, async (t) => {
  const folder = temporaryFolder(t)
  const name = 'n'.repeat(200)
  // A shell goes down one by one; 100 such names are 20 KB, and PATH_MAX is 4.
  execFileSync('/bin/sh', [
    '-c',
    `cd "$1"; i=0; while [ $i -lt 100 ]; do mkdir ${name} removed-$i; echo x > file; cd -P ${name}; i=$((i+1)); done`,
    'sh',
    folder,
  ])
  await emptyFolder(folder)
  t.same(readdirSync(folder), [])
})

t.test('what may not be read or written is taken away all the same', { skip }, async (t) => {
  const folder = temporaryFolder(t)
  for (const mode of [0o000, 0o100, 0o400, 0o500]) {
    const closed = join(folder, `closed-${mode}`)
    mkdirSync(join(closed, 'inner/most'), { recursive: true })
    writeFileSync(join(closed, 'inner/file'), '')
    for (const path of [join(closed, 'inner/most'), join(closed, 'inner'), closed]) chmodSync(path, mode)
  }
  await emptyFolder(folder)
  t.same(readdirSync(folder), [])
  t.ok(existsSync(folder))
})
