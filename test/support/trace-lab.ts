/**
 * A network of four machines in a row: the agent at 10.77.1.1, a first router (10.77.1.254), a second one (10.77.2.2) and
 * the target (10.77.3.1); the same with fd77:1::1, fd77:1::254, fd77:2::2 and fd77:3::1. Each is a network namespace, all
 * of them inside namespaces of the lab's own, so that nothing is left of them.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Failure } from '../../protocol/result.ts'
import { compileCacheOfUser, isRoot, only, user } from './ping-lab.ts'

/** One URL check that runs on the first machine. `deadlineMs` as that of a job. */
export type LabCheck = { url: string; deadlineMs: number; ipFamily?: 'IPv4' | 'IPv6' }

export type LabFile = { name: string; type: string; base64: string }

/** `log` of the run; `agentLog` is what the agent has said until then. */
export type LabResult = {
  failure: Failure | null
  log: string[]
  files: LabFile[]
  tookMs: number
  agentLog: string[]
}

export type LabOptions = {
  checks: LabCheck[]
  /** As somebody who owns nothing and may do nothing, or as root of the lab. */
  as: 'nobody' | 'root'
  capture?: boolean
  /** Lines of shell; the machines are the namespaces `agent`, `first`, `second` and `target`. */
  faults?: string[]
}

const program = fileURLToPath(new URL('./trace-lab-program.ts', import.meta.url))

const network = `
set -e
mount -t tmpfs -o mode=1777 tmpfs /run
for n in agent first second target; do
  ip netns add $n; ip -n $n link set lo up
  ip netns exec $n sh -c 'echo 0 > /proc/sys/net/ipv6/conf/default/accept_dad; echo 0 > /proc/sys/net/ipv6/conf/all/accept_dad'
done
link() { ip link add $1$2 netns $1 type veth peer name $2$1 netns $2; }
link agent first; link first second; link second target
for n in first second; do
  ip netns exec $n sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv6/conf/all/forwarding'
done
place() {
  ip -n $1 addr add $3/24 dev $2
  ip -n $1 addr add $4/64 dev $2 nodad
  ip -n $1 link set $2 up
}
place agent agentfirst 10.77.1.1 fd77:1::1
place first firstagent 10.77.1.254 fd77:1::254
place first firstsecond 10.77.2.1 fd77:2::1
place second secondfirst 10.77.2.2 fd77:2::2
place second secondtarget 10.77.3.254 fd77:3::254
place target targetsecond 10.77.3.1 fd77:3::1
ip -n agent route add default via 10.77.1.254; ip -n agent route add default via fd77:1::254
ip -n first route add 10.77.3.0/24 via 10.77.2.2; ip -n first route add fd77:3::/64 via fd77:2::2
ip -n second route add 10.77.1.0/24 via 10.77.2.1; ip -n second route add fd77:1::/64 via fd77:2::1
ip -n target route add default via 10.77.3.254; ip -n target route add default via fd77:3::254
# Without a link-local address, which the kernel gives up to a second later, a router asks nobody for a neighbour and drops what it forwards.
until [ $(for n in agent first second target; do ip -n $n -6 -o addr show scope link -tentative; done | wc -l) = 6 ]; do sleep 0.02; done
`

export const inTraceLab = ({ checks, as, capture = false, faults = [] }: LabOptions): LabResult[] =>
  JSON.parse(runInLab(program, { checks, capture }, { as, faults }))

/** What a program says that runs on the first machine; its input is JSON in its first argument. */
export const runInLab = (
  path: string,
  input: object,
  { as, faults = [] }: Pick<LabOptions, 'as' | 'faults'>,
): string => {
  const who = as === 'nobody' ? `setpriv ${user} ${only(false)} --` : ''
  const script = [network, ...faults, `exec ip netns exec agent ${who} "$@"`].join('\n')
  const done = spawnSync(
    'unshare',
    [...namespaces, 'sh', '-c', script, 'sh', process.execPath, path, JSON.stringify(input)],
    {
      encoding: 'utf8',
      timeout: 400_000,
      // Of the lab's own, and open to whoever runs in it.
      env: { ...process.env, ...(as === 'nobody' ? compileCacheOfUser() : {}), TMPDIR: '/run' },
    },
  )
  if (done.status !== 0) throw new Error(`the program in the lab failed: ${done.stderr || done.error}`)
  return done.stdout
}

/** Null if this machine lets us build the lab, otherwise why the tests that need it are skipped. */
export const traceLabProblem = (): string | null => {
  const done = spawnSync('unshare', [...namespaces, 'sh', '-c', `${network}\nsetpriv --help`])
  return done.status === 0 ? null : 'network namespaces cannot be made here'
}

const namespaces = [...(isRoot ? [] : ['--map-root-user']), '--net', '--mount', '--']
