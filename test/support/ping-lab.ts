/**
 * A network of its own for pings: a program inside a network namespace where only the loopback exists, whose kernel may
 * be told to stay silent, so that a responder of ours can answer every echo request as badly as a test wants.
 *
 * Parent side: what a test asks for, and how the program is started. The program itself is ping-lab-program.ts.
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Series, SeriesOptions } from '../../agent/net/ping/ping-series.ts'
import type { IcmpSpec } from '../../protocol/checks/icmp.ts'
import type { Outcome } from '../../protocol/result.ts'
import { compileCache } from './compile-cache.ts'
import './patience.ts'

/** What the responder does with one echo request. `late` answers after 600 ms, the rest at once. */
export type Answer =
  | 'reply'
  | 'late'
  | 'unreachable'
  | 'prohibited'
  | 'redirect'
  | 'wrong-sequence'
  | 'wrong-id'
  | 'wrong-data'
  | 'truncated'
  | 'garbage'

/** `answers` by sequence number; a ping without an entry is not answered. `fast`: the clock runs 5 times as quick. */
export type LabRun = {
  spec: IcmpSpec
  answers?: Answer[][]
  fast?: boolean
  deadlineMs?: number
  cancelAfterMs?: number
  blockedNetworks?: string[]
  names?: Record<string, string[] | 'never'>
  /** The kernel refuses time stamps of arrival, from this run on. */
  withoutStamps?: boolean
  /** Instead of the whole check only its pings, with times of their own. */
  series?: Omit<SeriesOptions, 'family'>
}

export type LabRan = {
  outcome: Outcome
  series: Series | null
  /** Descriptors that the run left open, and how late the event loop usually came to something else. */
  leakedDescriptors: number
  usualStallMs: number
}

/** How the program may ping: by the sysctl as a user without any capability, by NET_RAW alone, or not at all. */
export type Permission = 'ping-group-range' | 'net-raw' | 'none'

const root = fileURLToPath(new URL('../..', import.meta.url))
const program = fileURLToPath(new URL('./ping-lab-program.ts', import.meta.url))
const journey = fileURLToPath(new URL('./ping-journey-program.ts', import.meta.url))
const nobody = 65_534
export const isRoot = userInfo().uid === 0

/** Runs the checks in a new namespace, as nobody where that user can read the clone. `prepare`: lines of shell, run there as root. */
export const runInLab = (
  permission: Permission,
  runs: LabRun[],
  prepare: string[] = [],
): { uid: number; ran: LabRan[] } => {
  const silent = runs.some(({ answers }) => answers !== undefined)
  const setup = [...(silent ? ['echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all'] : []), ...prepare]
  // The responder needs NET_RAW itself; the runner beside it still tries the datagram socket first.
  const keepsRaw = silent || permission === 'net-raw'
  return inLab(
    permission,
    [program, JSON.stringify(runs)],
    [...setup, `exec setpriv ${user} ${only(keepsRaw)} -- "$@"`],
    compileCacheOfUser(),
  )
}

/** First results of these checks, from an installation in a new namespace that keeps its files in `folder`. */
export const journeyInLab = (permission: Permission, folder: string, checks: object[]): unknown[] =>
  inLab(
    permission,
    [journey, folder, JSON.stringify(checks)],
    [...anotherNetwork, `exec setpriv ${only(permission === 'net-raw')} -- "$@"`],
  )

/** An agent with no route to anywhere says so, and nothing of its targets. */
const anotherNetwork = [
  'ip link add nearby type veth peer name remote',
  'ip addr add 192.0.2.1/24 dev nearby',
  'ip link set nearby up',
]

const inLab = <Printed>(
  permission: Permission,
  program: string[],
  prepare: string[],
  env: Record<string, string> = {},
): Printed => {
  const range = isRoot ? '0 2147483647' : '0 0'
  // A new namespace lets nobody: its range is "1 0".
  const open = `echo "${range}" > /proc/sys/net/ipv4/ping_group_range`
  const script = [
    'set -e',
    'ip link set lo up',
    ...(permission === 'ping-group-range' ? [open] : []),
    ...prepare,
  ].join('\n')
  const done = inNamespace(['sh', '-c', script, 'sh', process.execPath, ...program], env)
  if (done.status !== 0) throw new Error(`the program in the namespace failed: ${done.stderr || done.error}`)
  return JSON.parse(done.stdout)
}

/** Null if this machine lets us make network namespaces, otherwise why the tests that need one are skipped. */
export const labProblem = (): string | null =>
  inNamespace(['sh', '-c', 'ip link set lo up && setpriv --help']).status === 0
    ? null
    : 'network namespaces cannot be made here'

const inNamespace = (command: string[], env: Record<string, string> = {}): SpawnSyncReturns<string> =>
  spawnSync('unshare', [...(isRoot ? [] : ['--map-root-user']), '--net', '--', ...command], {
    encoding: 'utf8',
    timeout: 400_000,
    env: { ...process.env, ...env },
  })

/** No capability, or NET_RAW alone, and no way to get more. */
export const only = (raw: boolean): string => {
  const set = raw ? '-all,+net_raw' : '-all'
  return `--bounding-set=${set} --inh-caps=${set} --ambient-caps=${set} --no-new-privs`
}

const readableByAll = (path: string): boolean =>
  (statSync(path).mode & 5) === 5 && (path === '/' || readableByAll(dirname(path)))

/** Somebody who owns nothing; the owner of the clone where nobody else may read it. */
export const user =
  isRoot && readableByAll(resolve(root)) ? `--reuid=${nobody} --regid=${nobody} --clear-groups` : ''

/** A folder of that user in ours: Node keeps what it compiled for the one who started it. */
export const compileCacheOfUser = (): Record<string, string> => {
  const { NODE_COMPILE_CACHE: folder } = compileCache()
  if (folder === undefined || user === '') return {}
  const own = join(folder, 'of-nobody')
  mkdirSync(own, { recursive: true })
  chownSync(own, nobody, nobody)
  return { NODE_COMPILE_CACHE: own }
}
