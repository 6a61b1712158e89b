import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import t, { type Test } from 'tap'
import { lowerPriority, niceness } from '../../../agent/base/low-priority.ts'
import { realClock } from '../../../agent/program/real-io.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { until } from '../../support/until.ts'

/** The leader of a session of its own that waits for the end of its standard input. */
const leader = async (t: Test) => {
  const child = spawn('cat', { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  await once(child, 'spawn')
  t.teardown(() => child.stdin.end())
  return { pid: child.pid as number, isAlive: () => child.exitCode === null }
}

t.test('a process and its whole session have less of a processor', async (t) => {
  const one = await leader(t)
  lowerPriority(one, realClock())
  t.equal(getPriority(one.pid), niceness)
  const file = `/proc/${one.pid}/autogroup`
  // The kernel may ask us to come again, when it was asked just now by somebody else.
  const isLow = (): boolean => !existsSync(file) || / nice 10$/m.test(readFileSync(file, 'utf8'))
  await until('the niceness of the session', isLow)
  t.ok(isLow())
})

t.test('one that has ended meanwhile is nobody', async (t) => {
  const child = spawn(process.execPath, ['--version'], { detached: true, stdio: 'ignore' })
  await once(child, 'exit')
  lowerPriority({ pid: child.pid as number, isAlive: () => false }, fakeClock())
  t.equal(child.exitCode, 0)
})
