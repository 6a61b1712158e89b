// Runs in test:all only: it boots a kernel of its own.
/**
 * Control groups of runs on a real kernel that has them: Linux as a program (user-mode-linux), on the files of this machine. There the
 * agent's sandbox runs scripts in a group that it may divide.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import type { Told } from '../../support/control-groups-program.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const linux = '/usr/bin/linux.uml'
const skip = existsSync(linux) ? false : 'user-mode-linux is not installed'
const longestMs = 300_000
t.setTimeout(longestMs + 30_000)

const program = fileURLToPath(new URL('../../support/control-groups-program.ts', import.meta.url))

/** `others`: as many processes share the agent's group. */
const firstProgram = (others: number): string => `#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin TMPDIR=/mnt
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs own /mnt
mount -t cgroup2 groups /sys/fs/cgroup
ip link set lo up
echo '+memory +pids' >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/agent
for other in $(seq ${others}); do
  sh -c 'echo $$ >/sys/fs/cgroup/agent/cgroup.procs; exec sleep 1000' &
  while ! grep -q . /sys/fs/cgroup/agent/cgroup.procs; do :; done
done
sh -c 'echo $$ >/sys/fs/cgroup/agent/cgroup.procs; exec "${process.execPath}" "${program}" /sys/fs/cgroup/agent' 2>&1
echo o >/proc/sysrq-trigger
sleep 1000
`

const boot = async (t: Test, others: number): Promise<Told> => {
  const folder = temporaryFolder(t)
  const first = join(folder, 'first')
  writeFileSync(first, firstProgram(others), { mode: 0o755 })
  const machine = spawn(
    linux,
    [
      ...['root=/dev/root', 'rootfstype=hostfs', 'rw', 'mem=1536M', 'quiet', `init=${first}`],
      ...['con=null', 'con0=null,fd:1', `uml_dir=${folder}`],
    ],
    { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: { HOME: folder, PATH: '/usr/bin:/bin' } },
  )
  const end = (): void => {
    try {
      process.kill(-(machine.pid as number), 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  const late = setTimeout(end, longestMs)
  t.teardown(end)
  const [said] = await Promise.all([text(machine.stdout), text(machine.stderr), once(machine, 'exit')])
  clearTimeout(late)
  const told = /^told (.*)$/m.exec(said)?.[1]
  if (told === undefined) throw new Error(`the machine said only: ${said}`)
  return JSON.parse(told)
}

t.test('a run has a group of its own, in which the kernel ends what takes too much', { skip }, async (t) => {
  const told = await boot(t, 0)
  t.ok(told.layers.includes('memory'), String(told.problem))
  t.equal(told.own, '0::/agent/watchpost-agent')
  t.equal(told.ordinary, null)
  t.equal(
    told.greedy,
    'The setup script of the check was stopped: it used more than its 320 MB of memory (held by the kernel)',
  )
  t.strictSame(told.left, { before: [], after: [] }, 'not that of an earlier agent either')
})

t.test('an agent that shares its group measures, and says why', { skip }, async (t) => {
  const told = await boot(t, 1)
  t.notOk(told.layers.includes('memory'))
  t.match(told.problem, /no control groups of runs: other processes share the agent's control group/)
  t.equal(told.own, '0::/agent')
  t.match(told.greedy, /used more than its 320 MB of memory \(measured by the agent\)$/)
})
