import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { createIsolation, type Isolation } from '../../agent/isolation/isolation.ts'
import type { PathRule } from '../../agent/isolation/landlock.ts'
import { type PrivateFolder, removeFolder, writeFolder } from '../../agent/isolation/private-folder.ts'
import { programLoader } from '../../agent/isolation/program.ts'
import { numberOf, type Syscall, syscallNumbers } from '../../agent/isolation/syscalls.ts'
import type { Volume, VolumeSize } from '../../agent/isolation/volumes.ts'
import { realClock } from '../../agent/program/real-io.ts'
import type { AttemptTask } from './attempts-program.ts'

export type Attempt = AttemptTask['attempts'][number]

/** System calls that attempts make, and that no rule is about. */
const otherNumbers = {
  connect: [42, 203],
  openat: [257, 56],
  tgkill: [234, 131],
  rt_sigqueueinfo: [129, 138],
  pidfd_open: [434, 434],
  pidfd_send_signal: [424, 424],
  setsockopt: [54, 208],
  mknodat: [259, 33],
  setuid: [105, 146],
  setgid: [106, 144],
  write: [1, 64],
} as const

const programName = 'attempts-program.ts'
const koffi = createRequire(import.meta.url).resolve('koffi')

/** The folder of koffi and that of its platforms. */
const koffiFolders = (): PathRule[] =>
  [dirname(koffi), join(dirname(koffi), '../@koromix')].map((path) => ({ path, file: false, may: 'read' }))

export type Room = {
  isolation: Isolation
  /** How each attempt ended, in isolation or, where these are left out, in the open. */
  run(attempts: readonly Attempt[], options: RunOptions): Promise<Map<string, string>>
  /** A child that runs one attempt and goes on: to be ended by the test. */
  start(attempts: readonly Attempt[], options: RunOptions): Promise<Running>
}

/**
 * `owner`: false keeps the agent's own user, without its capabilities, as where an agent is not root. `volume`: what its folder is.
 * `look`: at what it left, when its processes have ended.
 */
export type RunOptions = {
  facts?: AttemptTask['facts']
  egressProxyPort?: number | null
  isolated?: boolean
  owner?: boolean
  volume?: VolumeSize
  look?: (folder: PrivateFolder) => Promise<void>
}
export type Running = { child: ChildProcess; folder: PrivateFolder; end(): Promise<void> }

/** Children that are users of their own have to get to their folders through that of the test run. */
export const letChildrenThrough = (): void => {
  const { uid, mode } = statSync(tmpdir())
  if (uid === userInfo().uid && (mode & 0o001) === 0) chmodSync(tmpdir(), 0o711)
}

/** A place where hostile children can be started. */
export const attemptsRoom = (t: Test): Room => {
  letChildrenThrough()
  const program = programLoader(process.execPath)
  const isolation = createIsolation({ execPath: process.execPath, clock: realClock(), program })
  const code = readFileSync(new URL(programName, import.meta.url), 'utf8')
  const start: Room['start'] = async (
    attempts,
    { facts = {}, egressProxyPort = null, isolated = true, owner: own = true, volume: size, look },
  ) => {
    await isolation.status()
    const owner = isolated && own ? isolation.takeOwner() : null
    const files = [...(await program()), { name: programName, code }]
    const openVolume = async (folder: string): Promise<Volume | null> =>
      size === undefined ? null : isolation.openVolume(size, { owner, folder })
    const folder = await writeFolder({ program: files, modules: null, owner, openVolume })
    const volume = (await folder.volume?.lend()) ?? null
    const main = join(folder.path, programName)
    const args = ['--no-warnings', main]
    const child = isolated
      ? isolation.launch({
          profile: 'script',
          folder: folder.path,
          writable: folder.writable,
          volume,
          readable: koffiFolders(),
          egressProxyPort,
          owner,
          args,
          env: {},
        })
      : spawn(process.execPath, args, { detached: true, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] })
    const end = async (): Promise<void> => {
      try {
        process.kill(-(child.pid as number), 'SIGKILL')
      } catch {
        // It has ended by itself.
      }
      await isolation.reap(child.pid as number)
      isolation.giveBack(owner)
      await look?.(folder)
      await removeFolder(folder)
    }
    let ending: Promise<void> | null = null
    const endOnce = (): Promise<void> => {
      ending ??= end()
      return ending
    }
    t.teardown(endOnce)
    const task: AttemptTask = {
      koffi,
      numbers: numbers(),
      facts: { ...facts, folder: folder.path, own: folder.writable },
      attempts: [...attempts],
    }
    child.stdin?.end(JSON.stringify(task))
    return { child, folder, end: endOnce }
  }
  const run: Room['run'] = async (attempts, options) => {
    const { child, end } = await start(attempts, options)
    const [said, complaint] = await Promise.all([
      text(child.stdio[3] as Readable),
      text(child.stderr as Readable),
    ])
    await end()
    const lines = said.split('\n').filter(Boolean)
    if (lines.length < attempts.length) throw new Error(`the child ended early: ${lines.at(-1)} ${complaint}`)
    return new Map(
      lines.map((line) => {
        const { name, said } = JSON.parse(line) as { name: string; said: string }
        return [name, said]
      }),
    )
  }
  return { isolation, run, start }
}

const numbers = (): Record<string, number> => {
  const architecture = arch() === 'arm64' ? 'arm64' : 'x64'
  const ruled = (Object.keys(syscallNumbers) as Syscall[]).flatMap((name) => {
    const number = numberOf(name, architecture)
    return number === null ? [] : [[name, number] as const]
  })
  const others = Object.entries(otherNumbers).map(([name, [x64, arm64]]) => [
    name,
    architecture === 'x64' ? x64 : arm64,
  ])
  return Object.fromEntries([...ruled, ...others])
}
