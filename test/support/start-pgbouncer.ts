/**
 * A real PgBouncer in front of a test's PostgreSQL: `PGBOUNCER`, or the installed one. It refuses to run as root, and is
 * `nobody` there.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import './patience.ts'

const installed = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path)) ?? null
const program = process.env['PGBOUNCER'] ?? installed

export const withoutPgbouncer = program === null ? 'pgbouncer is not installed' : false

const nobody = 65534
const identity = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}

const freePort = async (): Promise<number> => {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** The address of the same database through the pooler, which has so many connections to it. */
export const pooledUrl = async (
  t: Test,
  url: string,
  { mode, connections = 3 }: { mode: 'transaction' | 'session'; connections?: number },
): Promise<string> => {
  const { hostname, port, username } = new URL(url)
  const folder = await mkdtemp(join(tmpdir(), 'watchpost-pgbouncer-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const listenPort = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: listenPort,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: mode,
    default_pool_size: connections,
    server_login_retry: 1,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const target = `* = host=${hostname} port=${port} user=${username}`
  await writeFile(file, ['[databases]', target, '[pgbouncer]', ...lines, ''].join('\n'))
  await chmod(folder, 0o755)
  const child = spawn(String(program), [file], { ...identity, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await new Promise<void>((resolve, reject) => {
    let log = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-20_000)
      if (log.includes('process up')) resolve()
    })
    void ended.then(() => reject(new Error(`PgBouncer ended during its start:\n${log}`)))
  })
  const pooled = new URL(url)
  pooled.port = String(listenPort)
  return pooled.href
}
