/**
 * An agent in a network of its own, at 10.88.0.2, behind a router at 10.88.0.1 that also has the addresses of everybody else:
 * the control plane (10.88.1.1), targets (10.88.1.2 to 10.88.1.6, `one.test` to `five.test`) and the name server (10.88.1.53).
 * An address that is taken away is silent. All of it is in namespaces of the lab's own.
 */
import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Outcome } from '../../protocol/result.ts'
import { isRoot } from './ping-lab.ts'

/** What the agent told of each run of a step, by the target; `judged` as its metric counts them afterwards. */
export type LabStep = { name: string; outcomes: Record<string, Outcome>; judged: number }

const program = fileURLToPath(new URL('./own-network-lab-program.ts', import.meta.url))
const namespaces = [...(isRoot ? [] : ['--map-root-user']), '--net', '--mount', '--']

const network = `
set -e
mount -t tmpfs -o mode=1777 tmpfs /run
# A machine that forwards (one with containers does) would answer for an address that is away.
echo 0 > /proc/sys/net/ipv4/ip_forward
ip netns add agent
ip link set lo up
ip -n agent link set lo up
ip link add router type veth peer name out netns agent
ip addr add 10.88.0.1/24 dev router
ip link set router up
ip -n agent addr add 10.88.0.2/24 dev out
ip -n agent link set out up
ip -n agent route add default via 10.88.0.1
for n in 1 2 3 4 5 6 53; do ip addr add 10.88.1.$n/32 dev lo; done
`

/** Every step of a journey, in order (own-network-lab-program.ts). `closed`: the name server knows no root, as without the internet. */
export const journeyOfOwnNetwork = async (kind: 'open' | 'closed'): Promise<LabStep[]> => {
  const script = `${network}\nexec "$@"`
  const child = spawn('unshare', [...namespaces, 'sh', '-c', script, 'sh', process.execPath, program, kind], {
    // Of the lab's own.
    env: { ...process.env, TMPDIR: '/run' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', error: '' }
  child.stdout.on('data', (bytes) => {
    said.out += bytes
  })
  child.stderr.on('data', (bytes) => {
    said.error += bytes
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  if (code !== 0) throw new Error(`the program in the lab failed: ${said.error}`)
  return JSON.parse(said.out)
}

/** Null if this machine lets us build the lab, otherwise why the test is skipped. */
export const ownNetworkLabProblem = (): string | null =>
  spawnSync('unshare', [...namespaces, 'sh', '-c', network]).status === 0
    ? null
    : 'network namespaces cannot be made here'
