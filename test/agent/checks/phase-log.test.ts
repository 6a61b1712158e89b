import t from 'tap'
import { createRunLog } from '../../../agent/base/run-log.ts'
import { createPhaseLog, type JobLog } from '../../../agent/checks/phase-log.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const setUp = () => {
  const clock = fakeClock()
  return createPhaseLog(createRunLog(clock), clock)
}
const all = (log: JobLog) => Object.values(log).flat()
const note = 'What was said after this is not kept'

t.test('the log of all phases has a thousand lines, and says that there were more', async (t) => {
  const log = setUp()
  for (let index = 0; index < 600; index += 1) log.say('setup', 'INFO', '')
  for (let index = 0; index < 600; index += 1) log.say('teardown', 'INFO', '')
  const { setup, teardown } = log.lines()
  t.equal(setup.length, 600)
  t.equal(teardown.length, 401)
  t.match(teardown.at(-1), { level: 'WARN', msg: note })
})

t.test('nor is it longer than what fits into a result', async (t) => {
  const log = setUp()
  for (let index = 0; index < 100; index += 1) log.say('setup', 'INFO', 'x'.repeat(10_000))
  const lines = all(log.lines())
  t.ok(JSON.stringify(lines).length < 300 * 1024)
  t.equal(lines.at(-1)?.msg, note)
})
