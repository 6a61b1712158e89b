/** What the files of a run take, as the kernel says it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { realClock } from '../../../agent/program/real-io.ts'
import { deletedBytes } from '../../../agent/sandbox/deleted-files.ts'
import { watchFolder } from '../../../agent/sandbox/watch-folder.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const megabyte = 1024 * 1024
const skip = platform() !== 'linux' && 'other systems do not say which files are open'

/** A process that holds a file of so many bytes, twice, which has lost its name. */
const holder = async (t: Test, bytes: number) => {
  const folder = temporaryFolder(t)
  const code = `const fs = require('fs')
fs.writeFileSync('file', Buffer.alloc(${bytes}, 1))
for (const _ of [1, 2]) fs.openSync('file', 'r')
fs.unlinkSync('file')
console.log('open')
setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['-e', code], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return { folder, pids: [String(child.pid)] }
}

/** Resolves once it is too much. */
const tooMuch = (t: Test, folder: string, limits: { maxEntries: number; members(): readonly string[] }) =>
  new Promise<void>((resolve) => {
    const watch = watchFolder({ folder, maxBytes: megabyte, clock: realClock(), ...limits }, resolve)
    t.teardown(watch.stop)
  })

t.test('files without a name count while they are open, once each', { skip }, async (t) => {
  const { folder, pids } = await holder(t, 2 * megabyte)
  t.equal(await deletedBytes(pids), 2 * megabyte)
  t.equal(await deletedBytes([...pids, ...pids, '0', 'none']), 2 * megabyte)
  await tooMuch(t, folder, { maxEntries: 10, members: () => pids })
  t.pass('they are too much')
})

t.test('as do those that have one, and how many there are', async (t) => {
  const [large, many] = [temporaryFolder(t), temporaryFolder(t)]
  mkdirSync(join(large, 'a/b'), { recursive: true })
  for (const name of ['a/x', 'a/b/y']) writeFileSync(join(large, name), Buffer.alloc(0.6 * megabyte, 1))
  await tooMuch(t, large, { maxEntries: 10, members: () => [] })
  for (let index = 0; index < 11; index += 1) writeFileSync(join(many, String(index)), '')
  await tooMuch(t, many, { maxEntries: 10, members: () => [] })
  t.pass('both are too much')
})
