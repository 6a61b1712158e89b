/** Folders while somebody else changes them. */
import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { inFile, inFolder, readSmall, walkFolder } from '../../../agent/base/open-folder.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

t.test('a folder stays itself, whatever takes its name', async (t) => {
  const folder = temporaryFolder(t)
  const path = (name: string): string => join(folder, name)
  mkdirSync(path('own'))
  mkdirSync(path('other'))
  writeFileSync(path('own/file'), 'own')
  writeFileSync(path('other/file'), 'other')
  const read = await inFolder(path('own'), async (own) => {
    renameSync(path('own'), path('moved'))
    symlinkSync('other', path('own'))
    return readFile(own.at('file'), 'utf8')
  })
  t.equal(read, 'own')
  await t.rejects(
    inFolder(path('own'), async () => 'followed'),
    { code: /ELOOP|ENOTDIR/ },
  )
})

t.test('a walk meets no link, and says whether it was all', async (t) => {
  const folder = temporaryFolder(t)
  const outside = mkdtempSync(join(folder, 'outside-'))
  writeFileSync(join(outside, 'secret'), '')
  const inside = join(folder, 'inside')
  mkdirSync(join(inside, 'a/b'), { recursive: true })
  for (const name of ['z', 'a/y', 'a/b/x']) writeFileSync(join(inside, name), '')
  symlinkSync(outside, join(inside, 'a/link'))
  const seen: string[] = []
  const walk = (maxEntries: number) => walkFolder(inside, ({ path }) => seen.push(path), { maxEntries })
  t.equal(await walk(100), true)
  t.same(seen.splice(0), ['z', 'a/link', 'a/y', 'a/b/x'])
  t.equal(await walk(2), false)
  t.equal(seen.splice(0).length <= 2, true)
  t.equal(await walkFolder(join(inside, 'a/link'), ({ path }) => seen.push(path), { maxEntries: 100 }), true)
  t.same(seen, [])

  const visited: string[] = []
  await walkFolder(
    inside,
    ({ path }) => {
      visited.push(path)
      // The next one to be entered becomes a way out.
      rmSync(join(inside, 'a'), { recursive: true })
      symlinkSync(outside, join(inside, 'a'))
    },
    { maxEntries: 100 },
  )
  t.same(visited, ['z'])
})

t.test('a file is a plain one, with one name', async (t) => {
  const folder = temporaryFolder(t)
  const path = (name: string): string => join(folder, name)
  writeFileSync(path('file'), 'text')
  writeFileSync(path('large'), 'x'.repeat(101))
  writeFileSync(path('named'), 'twice')
  linkSync(path('named'), path('again'))
  symlinkSync('file', path('link'))
  // Of the system, whatever few programs the caller's PATH has.
  const PATH = `${process.env['PATH']}:/usr/bin:/bin`
  execFileSync('mkfifo', [path('pipe')], { env: { PATH } })
  t.equal(await readSmall(path('file'), 100), 'text')
  for (const name of ['large', 'named', 'again', 'link', 'pipe', '.'])
    t.equal(await readSmall(path(name), 100), null, name)
  for (const name of ['link', 'pipe', '.'])
    t.equal(await inFile(path(name), async () => 'opened'), null, name)
})
