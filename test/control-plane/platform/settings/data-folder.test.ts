import { spawnSync } from 'node:child_process'
import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { makeDataFolder } from '../../../../control-plane/platform/settings/data-folder.ts'
import { ConfigError } from '../../../../control-plane/platform/settings/reading.ts'
import { cannotBePowerless, powerless } from '../../../support/powerless.ts'
import { scratchFolder } from '../../../support/programs.ts'
import { noSmallDisk, readOnlyDisk } from '../../../support/small-disk.ts'

const refusal = (dataDir: string, why: string) =>
  new ConfigError([`DATA_DIR: ${dataDir} cannot be used: ${why}`])

t.test('it is made with the folders above it, for its owner only; once is enough', async (t) => {
  const dataDir = join(await scratchFolder(t), 'a', 'b')
  makeDataFolder(dataDir)
  makeDataFolder(dataDir)
  t.equal(statSync(dataDir).mode & 0o777, 0o700)
})

t.test('a file in its place, or above it, is named as that', async (t) => {
  const file = join(await scratchFolder(t), 'file')
  writeFileSync(file, '')
  t.throws(() => makeDataFolder(file), refusal(file, 'it is a file, not a folder'))
  const below = join(file, 'data')
  t.throws(() => makeDataFolder(below), refusal(below, 'a part of the path is a file, not a folder'))
})

t.test('on a read-only disk it can neither be made nor used', { skip: noSmallDisk() }, async (t) => {
  const disk = await readOnlyDisk(t)
  t.throws(() => makeDataFolder(disk), refusal(disk, 'the file system is read-only'))
  const dataDir = join(disk, 'data')
  t.throws(() => makeDataFolder(dataDir), refusal(dataDir, 'the file system is read-only'))
})

const notLinux = process.platform !== 'linux' && 'not 64-bit Linux'
t.test('where no folder can be made it is refused as well', { skip: notLinux }, async (t) => {
  const dataDir = '/proc/none/data'
  t.throws(() => makeDataFolder(dataDir), refusal(dataDir, 'no folder can be made there'))
})

t.test(
  'where this user may not write it can neither be made nor used',
  { skip: cannotBePowerless() },
  async (t) => {
    const folder = await scratchFolder(t)
    chmodSync(folder, 0o555)
    const module = new URL('../../../../control-plane/platform/settings/data-folder.ts', import.meta.url).href
    for (const dataDir of [folder, join(folder, 'data')]) {
      const code = `import { makeDataFolder } from '${module}'
      try { makeDataFolder(process.argv[1]) } catch ({ problems }) { process.stdout.write(problems.join()) }`
      const [file = '', ...args] = [
        ...powerless,
        process.execPath,
        '--input-type=module',
        '-e',
        code,
        dataDir,
      ]
      const { stdout } = spawnSync(file, args, { encoding: 'utf8' })
      t.equal(stdout, `DATA_DIR: ${dataDir} cannot be used: this user may not write there`)
    }
  },
)
