/** How children in isolation begin and end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { isRoot } from '../../../agent/base/is-root.ts'
import { createIsolation, describeIsolation, noIsolation } from '../../../agent/isolation/isolation.ts'
import { openKernel } from '../../../agent/isolation/kernel.ts'
import { missingIsolation } from '../../../agent/isolation/missing-isolation.ts'
import { claimUids, createOwners } from '../../../agent/isolation/owners.ts'
import { removeFolder, writeFolder } from '../../../agent/isolation/private-folder.ts'
import { programLoader } from '../../../agent/isolation/program.ts'
import { reapGroup } from '../../../agent/isolation/reap.ts'
import { mappedFiles } from '../../../agent/isolation/system-files.ts'
import { realClock } from '../../../agent/program/real-io.ts'
import { attemptsRoom } from '../../support/attempts.ts'
import { until } from '../../support/until.ts'

t.setTimeout(450_000)

type Process = { pid: number; state: string; parent: number; group: number }

const processes = (): Process[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [, state = '', parent, group] =
          /\) (\S) (\d+) (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
        return [{ pid: Number(name), state, parent: Number(parent), group: Number(group) }]
      } catch {
        // It has ended since.
        return []
      }
    })

const room = attemptsRoom(t)

t.test('a child has limits, and no more rights than they leave', async (t) => {
  const limits = ['0', '1', '4', '7'].map((resource) => ({
    name: resource,
    code: `const b = Buffer.alloc(16); sys('prlimit64', 0, ${resource}, null, b); return [b.readBigUInt64LE(0), b.readBigUInt64LE(8)].join(' ')`,
  }))
  const outcomes = await room.run(
    [...limits, { name: 'groups', code: 'return process.getgroups().includes(0) && process.getuid() !== 0' }],
    {},
  )
  t.equal(outcomes.get('0'), 'worked: 60 60', 'seconds of the processor')
  t.equal(outcomes.get('1'), `worked: ${64 * 1024 ** 2} ${64 * 1024 ** 2}`, 'bytes of a file')
  t.equal(outcomes.get('4'), 'worked: 0 0', 'core files')
  t.equal(outcomes.get('7'), 'worked: 512 512', 'descriptors')
  t.equal(outcomes.get('groups'), 'worked: false', 'no group of root for a user of its own')
})

t.test('whatever a child leaves behind ends with its group, and is reaped', async (t) => {
  const { layers } = await room.isolation.status()
  const stubborn = `process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000)`
  const code = `const { spawn } = require('child_process')
const stubborn = ${JSON.stringify(stubborn)}
// Detached, and one whose parent ends at once.
spawn(process.execPath, ['-e', stubborn], { detached: true, stdio: 'ignore' }).unref()
spawn(process.execPath, ['-e', 'require("child_process").spawn(process.execPath, ["-e", ' + JSON.stringify(stubborn) + '], { detached: true, stdio: "ignore" }).unref()'], { stdio: 'ignore' })
await new Promise(() => setTimeout(() => undefined, 2 ** 30))`
  const { child, end } = await room.start([{ name: 'leaves', code }], {})
  const group = child.pid as number
  const members = (): Process[] => processes().filter((one) => one.group === group)
  const orphans = (): Process[] =>
    members().filter(({ parent, pid }) => pid !== group && (parent === process.pid || parent === 1))
  if (layers.includes('seccomp'))
    await until(
      'the orphans',
      () => members().filter(({ state }) => state !== 'Z').length >= 3 && orphans().length > 0,
    )
  if (layers.includes('subreaper') && layers.includes('seccomp'))
    t.ok(
      orphans().every(({ parent }) => parent === process.pid),
      'orphans become children of the agent',
    )
  await end()
  await until('its end', () => child.exitCode !== null || child.signalCode !== null)
  await until('nothing is left, not even a dead one', () => members().length === 0)
  t.equal(child.signalCode, 'SIGKILL')
})

t.test('only orphans of the group are reaped: how other children end is for Node to say', async (t) => {
  const kernel = await openKernel()
  const other = spawn(process.execPath, ['-e', 'process.exit(7)'], { detached: true, stdio: 'ignore' })
  const ended = once(other, 'exit')
  const reaped: number[] = []
  await reapGroup(other.pid as number, {
    self: process.pid,
    kernel: { reap: (pid) => void reaped.push(pid), hasMembers: kernel.hasMembers },
    clock: realClock(),
  })
  kernel.reap(2 ** 22 - 1)
  t.strictSame(await ended, [7, null])
  t.notOk(kernel.hasMembers(other.pid as number))
  t.strictSame(reaped, [])
})

t.test('a child ends with its agent, however that ends', async (t) => {
  const program = fileURLToPath(new URL('../../support/isolated-parent-program.ts', import.meta.url))
  const parent = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => parent.kill('SIGKILL'))
  const [line] = await once(parent.stdout, 'data')
  const { pid, folder } = JSON.parse(String(line)) as { pid: number; folder: string }
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const isThere = (): boolean => processes().some((one) => one.pid === pid && one.state !== 'Z')
  t.ok(isThere())
  parent.kill('SIGKILL')
  await until('the child is gone', () => !isThere())
})

/** A child of Node's own, and what it says on descriptor 3. */
const said = async (child: ChildProcess): Promise<string> => {
  child.stdin?.end()
  return text(child.stdio[3] as Readable)
}

t.test('a layer that cannot be built keeps the child from starting, and it says which', async (t) => {
  const { execPath } = process
  const program = programLoader(execPath)
  const isolation = createIsolation({ execPath, clock: realClock(), program })
  t.throws(() => isolation.takeOwner(), /before anybody has asked/)
  const { layers: status } = await isolation.status()
  if (!status.includes('files')) return t.comment('no Landlock here: it needs no path')
  const folder = await writeFolder({ program: await program(), modules: null, owner: null })
  t.teardown(() => removeFolder(folder))
  const base = {
    profile: 'script' as const,
    folder: folder.path,
    writable: folder.writable,
    egressProxyPort: null,
    owner: null,
    env: {},
  }
  const missing = { path: join(folder.path, 'missing'), file: false, may: 'read' } as const
  const refused = await said(isolation.launch({ ...base, readable: [missing], args: ['-e', '0'] }))
  t.match(JSON.parse(refused), { type: 'not-started', problem: /ENOENT.*missing/ })
  const started = isolation.launch({
    ...base,
    readable: [],
    args: ['-e', 'require("fs").writeSync(3, "up")'],
  })
  t.equal(await said(started), 'up')
})

t.test('users are not shared while their children live', async (t) => {
  const owners = createOwners(await claimUids())
  const [a, b] = [owners.take(), owners.take()]
  t.not(a.uid, b.uid)
  owners.giveBack(a)
  t.equal(owners.take().uid, a.uid)
  t.ok(a.uid > 1000 && a.uid < 65_536)
})

t.test(
  'agents of one machine have users of their own, and one that is gone leaves its to others',
  async (t) => {
    if (!isRoot()) return t.comment('not root: children have the agent’s own user')
    const uidOf = (first: number) =>
      `import { claimUids } from ${JSON.stringify(import.meta.resolve('../../../agent/isolation/owners.ts'))}
     console.log(await claimUids(${first}))
     process.stdin.resume()`
    const agent = (first: number) => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', uidOf(first)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      t.teardown(() => child.kill('SIGKILL'))
      return child
    }
    const range = 7
    const first = agent(range)
    const uid = Number(await once(first.stdout, 'data'))
    const second = agent(range)
    const other = Number(await once(second.stdout, 'data'))
    t.ok(Math.abs(uid - other) >= 250, `${uid} and ${other}`)
    t.ok([uid, other].every((one) => one >= 58_000 && one + 250 <= 65_534))
    first.kill('SIGKILL')
    await once(first, 'exit')
    t.equal(Number(await once(agent(range).stdout, 'data')), uid)
  },
)

t.test('a folder shows its user what is his, and nobody else', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'watchpost-test-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const folder = await writeFolder({ program: [{ name: 'a.mjs', code: '' }], modules: dir, owner: null })
  t.ok(existsSync(join(folder.path, 'node_modules')))
  await removeFolder(folder)
  t.notOk(existsSync(folder.path))
  t.ok(existsSync(dir), 'what a link points to stays')
})

t.test('what the agent says of its isolation', async (t) => {
  const all = [
    'files',
    'tcp',
    'scopes',
    'seccomp',
    'own-uid',
    'subreaper',
    'processes',
    'disk',
    'memory',
  ] as const
  t.equal(
    describeIsolation({ layers: all, problem: null }),
    'isolation of user code: files, tcp, scopes, seccomp, own-uid, subreaper, processes, disk, memory',
  )
  t.equal(
    describeIsolation({ layers: ['files'], problem: 'it is old' }),
    'isolation of user code: files; missing: tcp, scopes, seccomp, own-uid, subreaper, processes, disk, memory (it is old)',
  )
  t.match(
    describeIsolation(await noIsolation('no koffi').status()),
    /^isolation of user code: none; .*\(no koffi\)$/,
  )
  t.equal(missingIsolation(all), null)
  t.equal(
    missingIsolation(['files', 'tcp', 'scopes', 'seccomp']),
    null,
    'the others are not always to be had',
  )
  t.match(
    missingIsolation(['files', 'seccomp', 'own-uid']),
    /^SCRIPT_ISOLATION is "required".* TCP \(Linux 6\.7\), .*signals and abstract sockets \(Linux 6\.12\)$/,
  )
})

t.test('files that a process has mapped', async (t) => {
  const maps = [
    '00400000-00403000 r--p 00000000 fd:00 131 /usr/bin/node',
    '7f0000-7f1000 r-xp 00000000 fd:00 17 /usr/lib/with space/libc.so.6',
    '7f0000-7f1000 r-xp 00001000 fd:00 17 /usr/lib/with space/libc.so.6',
    '7f2000-7f3000 rw-p 00000000 00:00 0 [heap]',
    '7f2000-7f3000 rw-p 00000000 00:00 0 ',
    '7f4000-7f5000 r-xp 00000000 fd:00 18 /tmp/gone.so (deleted)',
  ].join('\n')
  t.strictSame(mappedFiles(maps), ['/usr/bin/node', '/usr/lib/with space/libc.so.6'])
})
