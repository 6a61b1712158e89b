/** File systems of runs: a child gets no more than their size, the agent reads what it left, and nothing of them remains. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openKernel } from '../../../agent/isolation/kernel.ts'
import { openVolume, type VolumeSize } from '../../../agent/isolation/volumes.ts'
import { attemptsRoom } from '../../support/attempts.ts'
import { temporaryFolder } from '../../support/test-agent.ts'
import { until } from '../../support/until.ts'

const room = attemptsRoom(t)
const { layers } = await room.isolation.status()
const skip = layers.includes('disk') ? false : 'file systems cannot be mounted here'

const sizes: readonly VolumeSize[] = [
  { on: 'memory', mb: 4, files: 50 },
  { on: 'disk', mb: 4, files: 50 },
]

/** Of the devices of this machine, the files behind them that lie in a folder. */
const loopsOf = (folder: string): string[] =>
  readdirSync('/sys/block')
    .filter((name) => name.startsWith('loop'))
    .flatMap((name) => {
      try {
        return [readFileSync(`/sys/block/${name}/loop/backing_file`, 'utf8')]
      } catch {
        // It has none, or none any more.
        return []
      }
    })
    .filter((path) => path.startsWith(folder))

const attempts = [
  { name: 'writes', code: `require('fs').writeFileSync(facts.own + '/left.txt', 'left'); return 'done'` },
  {
    name: 'no name',
    code: `const fs = require('fs'); const fd = fs.openSync(facts.own + '/large', 'w'); fs.unlinkSync(facts.own + '/large'); try { for (let i = 0; i < 60; i += 1) fs.writeSync(fd, Buffer.alloc(1 << 20, 1)) } finally { fs.closeSync(fd) } return 'all'`,
  },
  {
    name: 'many',
    code: `for (let i = 0; i < 500; i += 1) require('fs').writeFileSync(facts.own + '/many-' + i, ''); return 'all'`,
  },
  { name: 'unmounts', code: `return sys('umount2', Buffer.from(facts.own + '\\0'), 2)` },
]

for (const size of sizes)
  for (const owner of [true, false])
    t.test(
      `a file system in ${size.on} has an end for ${owner ? 'a user of its own' : "the agent's user"}`,
      { skip },
      async (t) => {
        const outcomes = await room.run(attempts, {
          owner,
          volume: size,
          look: async ({ inside, volume, writable }) => {
            t.equal(readFileSync(join(inside, 'left.txt'), 'utf8'), 'left', 'its processes are gone')
            t.ok(await volume?.isFull())
            t.strictSame(readdirSync(writable), [], 'nothing of it is in the folder of the machine')
          },
        })
        t.equal(outcomes.get('writes'), 'worked: done')
        for (const name of ['many', 'no name']) t.match(outcomes.get(name), /^ENOSPC/, name)
        if (layers.includes('seccomp')) t.match(outcomes.get('unmounts'), /^EPERM/)
      },
    )

t.test('a second child finds what the first one left', { skip }, async (t) => {
  const folder = temporaryFolder(t)
  const { mounts } = await openKernel()
  const volume = await openVolume({ on: 'disk', mb: 4, files: 50 }, { owner: null, mounts, folder })
  writeFileSync(join(volume.path, 'a'), 'of the agent')
  const lent = await volume.lend()
  t.equal(readFileSync(`/proc/self/fd/${lent}/a`, 'utf8'), 'of the agent')
  rmSync(join(volume.path, 'a'))
  t.strictSame(readdirSync(`/proc/self/fd/${lent}`), [])
  t.strictSame(readdirSync(folder), [], 'its file has no name')
  closeSync(lent)
  await volume.close()
  await until('its device is free', () => loopsOf(folder).length === 0)
})

t.test('nothing of them outlives an agent that is killed', { skip }, async (t) => {
  const folder = temporaryFolder(t)
  const of = (name: string): string =>
    JSON.stringify(import.meta.resolve(`../../../agent/isolation/${name}.ts`))
  const code = `import { openKernel } from ${of('kernel')}
import { openVolume } from ${of('volumes')}
const { mounts } = await openKernel()
await openVolume({ on: 'disk', mb: 4, files: 50 }, { owner: null, mounts, folder: ${JSON.stringify(folder)} })
console.log('open')
setInterval(() => undefined, 60_000)`
  const agent = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => agent.kill('SIGKILL'))
  await once(agent.stdout, 'data')
  t.equal(loopsOf(folder).length, 1)
  agent.kill('SIGKILL')
  await until('its device is free', () => loopsOf(folder).length === 0)
  t.strictSame(readdirSync(folder), [])
})

t.test('one that cannot be opened leaves nothing', { skip }, async (t) => {
  const folder = temporaryFolder(t)
  const { mounts } = await openKernel()
  const refused = { ...mounts, make: () => Promise.reject(new Error('no more')) }
  const opening = openVolume({ on: 'disk', mb: 4, files: 50 }, { owner: null, mounts: refused, folder })
  await t.rejects(opening, /no more/)
  t.strictSame(readdirSync(folder), [])
  await until('its device is free', () => loopsOf(folder).length === 0)
})
