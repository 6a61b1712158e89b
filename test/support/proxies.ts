/** Debian's proxies as operators run them, in the foreground, each with a configuration of its own, until the test ends. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Credentials } from './certificates.ts'
import { follow } from './programs.ts'
import { closedPort } from './servers.ts'
import { temporaryFolder } from './test-agent.ts'

export type TestProxy = {
  port: number
  /** With user and password. */
  url: string
  /** What it has printed so far. */
  output(): string
}

export const proxyUser = 'watcher'
export const proxyPassword = 'open3sesame'

/** Why a program cannot be used, for `skip`; false where it can. */
export const missing = (program: 'tinyproxy' | 'squid'): string | false =>
  spawnSync(program, ['-v'], { stdio: 'ignore', env: withSbin }).error === undefined
    ? false
    : `${program} is not installed`

const withSbin = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` }

/** Both want credentials. `connectPorts`: the only ports that tinyproxy makes tunnels to; all unless given. */
export const tinyproxy = async (
  t: Test,
  { connectPorts = [] }: { connectPorts?: readonly number[] } = {},
): Promise<TestProxy> => {
  const port = await closedPort()
  const config = join(temporaryFolder(t), 'tinyproxy.conf')
  const lines = [
    `Port ${port}`,
    'Listen 127.0.0.1',
    'Timeout 60',
    'MaxClients 50',
    'LogLevel Info',
    `BasicAuth ${proxyUser} ${proxyPassword}`,
    ...connectPorts.map((one) => `ConnectPort ${one}`),
  ]
  writeFileSync(config, `${lines.join('\n')}\n`)
  return started(t, { file: 'tinyproxy', args: ['-d', '-c', config], port, ready: /Accepting connections/ })
}

/** `tls`: it speaks TLS itself. */
export const squid = async (t: Test, { tls }: { tls?: Credentials } = {}): Promise<TestProxy> => {
  const port = await closedPort()
  const folder = temporaryFolder(t)
  // Started as root, it reads its files as a user that nobody knows before.
  chmodSync(folder, 0o755)
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const { stdout: hash } = spawnSync('openssl', ['passwd', '-apr1', proxyPassword], { encoding: 'utf8' })
  const passwords = write('passwords', `${proxyUser}:${hash.trim()}\n`)
  const listen =
    tls === undefined
      ? `http_port 127.0.0.1:${port}`
      : `https_port 127.0.0.1:${port} tls-cert=${write('cert.pem', tls.cert)} tls-key=${write('key.pem', tls.key)}`
  const config = write(
    'squid.conf',
    [
      listen,
      'pid_filename none',
      'cache deny all',
      'access_log none',
      'cache_log /dev/null',
      `coredump_dir ${folder}`,
      'pinger_enable off',
      'shutdown_lifetime 0 seconds',
      `auth_param basic program /usr/lib/squid/basic_ncsa_auth ${passwords}`,
      'auth_param basic children 1 startup=1',
      'acl known proxy_auth REQUIRED',
      'http_access allow known',
      'http_access deny all',
      '',
    ].join('\n'),
  )
  const ready = /Accepting (?:HTTP|HTTPS) Socket connections|Accepting SSL/
  const args = ['-N', '-d', '1', '-f', config]
  const proxy = await started(t, { file: 'squid', args, port, ready })
  return tls === undefined ? proxy : { ...proxy, url: proxy.url.replace('http:', 'https:') }
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

type Starting = { file: string; args: string[]; port: number; ready: RegExp }

const started = async (t: Test, { file, args, port, ready }: Starting): Promise<TestProxy> => {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], env: withSbin })
  const program = follow(child, file)
  t.teardown(() => program.end('SIGKILL'))
  await program.line(ready)
  // Squid says so a moment before.
  while (!(await accepts(port))) await new Promise(setImmediate)
  return {
    port,
    url: `http://${proxyUser}:${proxyPassword}@127.0.0.1:${port}`,
    output: program.output,
  }
}
