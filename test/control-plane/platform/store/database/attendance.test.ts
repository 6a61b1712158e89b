import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { attend, unknownAttendance } from '../../../../../control-plane/platform/store/database/attendance.ts'
import { scratchFolder } from '../../../../support/programs.ts'

const module = new URL('../../../../../control-plane/platform/store/database/attendance.ts', import.meta.url)

/** A process that stays until it is killed. */
const neighbour = async (t: Test, file: string) => {
  const program = `const { attend } = await import(${JSON.stringify(module.href)})
    const attendance = attend(${JSON.stringify(file)})
    process.stdout.write(attendance.isAlone() + '\\n')
    attendance.stay()
    process.stdout.write('stays\\n')
    setInterval(() => undefined, 60_000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  t.teardown(kill)
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const isAlone = (await lines.next()).value === 'true'
  return { isAlone, stays: async () => (await lines.next()).value === 'stays', kill }
}

const nowAlone = (file: string): boolean => {
  const attendance = attend(file)
  const isAlone = attendance.isAlone()
  attendance.leave()
  return isAlone
}

t.test('who is alone with a file is told by the kernel, whoever is killed in whichever order', async (t) => {
  const file = `${await scratchFolder(t)}/watchpost.db`
  const first = await neighbour(t, file)
  t.equal(first.isAlone, true)
  t.ok(await first.stays())
  const second = await neighbour(t, file)
  t.equal(second.isAlone, false)
  t.ok(await second.stays())
  await first.kill()
  t.equal(nowAlone(file), false, 'the second is there')
  await second.kill()
  t.equal(nowAlone(file), true, 'nobody is, and nothing was left behind')
})

t.test('one that begins alone is waited for, and lets others in once it stays', async (t) => {
  const file = `${await scratchFolder(t)}/watchpost.db`
  const starting = attend(file)
  t.equal(starting.isAlone(), true)
  const other = await neighbour(t, file)
  t.equal(other.isAlone, false)
  starting.stay()
  t.ok(await other.stays())
  t.equal(nowAlone(file), false)
  starting.leave()
  t.equal(nowAlone(file), false)
  await other.kill()
  t.equal(nowAlone(file), true)
})

t.test('of a server nothing is known', (t) => {
  t.equal(unknownAttendance.isAlone(), false)
  unknownAttendance.stay()
  unknownAttendance.leave()
  t.end()
})
