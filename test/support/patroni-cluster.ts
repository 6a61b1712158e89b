/**
 * Three servers of PostgreSQL that Patroni leads, with its etcd, and HAProxy in front: from Debian's packages, as
 * docs/deploy/postgresql.md sets them. PostgreSQL refuses to run as root, so all of it is `nobody` there. The programs end with
 * the test, and with its process.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { binariesOf, oldestPostgres } from './installed-postgres.ts'
import { scratchFolder } from './programs.ts'
import { until } from './until.ts'

const programs = { etcd: '/usr/bin/etcd', patroni: '/usr/bin/patroni', haproxy: '/usr/sbin/haproxy' }

export const withoutPatroni =
  binariesOf(oldestPostgres) !== null && Object.values(programs).every((path) => existsSync(path))
    ? false
    : 'patroni, etcd and haproxy are not installed'

type Node = { name: string; postgresPort: number; apiPort: number; folder: string; patroni: ChildProcess }

export type PatroniCluster = {
  /** All servers, one that is no leader first. */
  url: string
  proxiedUrl: string
  /** As when its machine is gone: Patroni and PostgreSQL end at once, without a word. */
  killLeader(): Promise<void>
  /** Whether there is a leader with a synchronous standby. */
  isWhole(): Promise<boolean>
}

const nobody = 65534
const asRoot = process.getuid?.() === 0

const freePorts = async (count: number): Promise<number[]> => {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => {
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  })
  for (const server of servers) server.close()
  return ports
}

const folderFor = (path: string): string => {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (asRoot) chownSync(path, nobody, nobody)
  return path
}

const run = (t: Test, program: string, args: string[], cwd: string): ChildProcess => {
  const identity = asRoot ? [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : []
  const child = spawn('setpriv', [...identity, '--pdeathsig=TERM', program, ...args], {
    cwd,
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-5000)
  })
  const ended = once(child, 'exit')
  t.teardown(async () => {
    if (process.env['TEST_SHOW_LOGS']) t.comment(`${program}: ${log}`)
    // Patroni stops its server first.
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await ended
  })
  return child
}

/** What counts is `dcs`: the settings of docs/deploy/postgresql.md, with shorter times. */
const configurationOf = (
  { name, postgresPort, apiPort, folder }: Omit<Node, 'patroni'>,
  etcdPort: number,
) => ({
  scope: 'watchpost',
  name,
  restapi: { listen: `127.0.0.1:${apiPort}`, connect_address: `127.0.0.1:${apiPort}` },
  etcd3: { hosts: `127.0.0.1:${etcdPort}` },
  bootstrap: {
    dcs: {
      ttl: 10,
      loop_wait: 2,
      retry_timeout: 4,
      synchronous_mode: true,
      synchronous_mode_strict: true,
      postgresql: {
        use_pg_rewind: true,
        parameters: { synchronous_commit: 'on', max_connections: 60, shared_buffers: '32MB' },
      },
    },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
  },
  postgresql: {
    listen: `127.0.0.1:${postgresPort}`,
    connect_address: `127.0.0.1:${postgresPort}`,
    data_dir: join(folder, 'data'),
    bin_dir: binariesOf(oldestPostgres),
    pgpass: join(folder, 'pgpass'),
    pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    authentication: {
      superuser: { username: 'watchpost', password: 'unused' },
      replication: { username: 'replicator', password: 'unused' },
    },
    parameters: { unix_socket_directories: '' },
  },
})

const proxyConfiguration = (port: number, nodes: readonly Node[]): string =>
  [
    'defaults',
    '  mode tcp',
    '  timeout connect 2s',
    '  timeout client 30m',
    '  timeout server 30m',
    'listen postgres',
    `  bind 127.0.0.1:${port}`,
    '  option httpchk OPTIONS /primary',
    '  http-check expect status 200',
    '  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions',
    ...nodes.map(
      ({ name, postgresPort, apiPort }) => `  server ${name} 127.0.0.1:${postgresPort} check port ${apiPort}`,
    ),
    '',
  ].join('\n')

type Member = { name: string; role: string; state: string }

const membersOf = async (nodes: readonly Node[]): Promise<Member[]> => {
  for (const { apiPort } of nodes)
    try {
      const answer = await fetch(`http://127.0.0.1:${apiPort}/cluster`)
      return ((await answer.json()) as { members: Member[] }).members
    } catch {
      // The next one knows as much.
    }
  return []
}

export const startPatroniCluster = async (t: Test): Promise<PatroniCluster> => {
  const folder = folderFor(await scratchFolder(t))
  const [etcdPort = 0, peerPort = 0, proxyPort = 0, ...ports] = await freePorts(9)
  const etcdUrl = `http://127.0.0.1:${etcdPort}`
  const peerUrl = `http://127.0.0.1:${peerPort}`
  run(
    t,
    programs.etcd,
    [
      ...['--name', 'one', '--data-dir', folderFor(join(folder, 'etcd')), '--unsafe-no-fsync'],
      ...['--listen-client-urls', etcdUrl, '--advertise-client-urls', etcdUrl],
      ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
      ...['--initial-cluster', `one=${peerUrl}`, '--logger', 'zap'],
    ],
    folder,
  )
  await until('etcd', () =>
    fetch(`${etcdUrl}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  const alive: Node[] = [0, 1, 2].map((index) => {
    const home = {
      name: `node${index}`,
      postgresPort: ports[2 * index] ?? 0,
      apiPort: ports[2 * index + 1] ?? 0,
      folder: folderFor(join(folder, `node${index}`)),
    }
    const file = join(home.folder, 'patroni.yml')
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(configurationOf(home, etcdPort)))
    return { ...home, patroni: run(t, programs.patroni, [file], home.folder) }
  })
  const isWhole = async (): Promise<boolean> => {
    const members = (await membersOf(alive)).filter(
      ({ name, state }) => alive.some((node) => node.name === name) && /running|streaming/.test(state),
    )
    const roles = members.map(({ role }) => role)
    return members.length === alive.length && roles.includes('leader') && roles.includes('sync_standby')
  }
  const leader = async (): Promise<Node> => {
    const name = (await membersOf(alive)).find(({ role }) => role === 'leader')?.name
    const node = alive.find((node) => node.name === name)
    if (node === undefined) throw new Error('the cluster has no leader')
    return node
  }
  await until('a leader with standbys', isWhole, 500)
  const proxyFile = join(folder, 'haproxy.cfg')
  writeFileSync(proxyFile, proxyConfiguration(proxyPort, alive))
  run(t, programs.haproxy, ['-db', '-f', proxyFile], folder)
  const first = await leader()
  const inOrder = [...alive.filter((node) => node !== first), first]
  return {
    url: `postgres://watchpost@${inOrder.map(({ postgresPort }) => `127.0.0.1:${postgresPort}`).join(',')}/postgres?target_session_attrs=read-write`,
    proxiedUrl: `postgres://watchpost@127.0.0.1:${proxyPort}/postgres`,
    isWhole,
    killLeader: async () => {
      const gone = await leader()
      alive.splice(alive.indexOf(gone), 1)
      const [line = ''] = readFileSync(join(gone.folder, 'data', 'postmaster.pid'), 'utf8').split('\n')
      const postmaster = Number(line)
      const backends = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')
      gone.patroni.kill('SIGKILL')
      for (const pid of [postmaster, ...backends.trim().split(' ').map(Number)])
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // It has ended by itself meanwhile.
        }
    },
  }
}
