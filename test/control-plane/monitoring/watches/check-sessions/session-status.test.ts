import t from 'tap'
import {
  isFinal,
  type RunState,
  sessionStatus,
} from '../../../../../control-plane/monitoring/watches/check-sessions/session-status.ts'
import { fc } from '../../../../support/fast-check.ts'

const states: RunState[] = ['running', 'passed', 'degraded', 'failed', 'errored', 'cancelled', 'missed']

t.test('a session follows the states of its runs', async (t) => {
  const cases: Array<[RunState[], string]> = [
    [['running', 'running'], 'STARTED'],
    [['running', 'passed'], 'PROGRESS'],
    [['running', 'degraded'], 'PROGRESS_DEGRADED'],
    [['running', 'degraded', 'failed'], 'PROGRESS_FAILED'],
    [['passed', 'passed'], 'PASSED'],
    [['passed', 'degraded'], 'DEGRADED'],
    [['passed', 'degraded', 'failed'], 'FAILED'],
    [['passed', 'errored'], 'FAILED'],
    [['passed', 'missed'], 'TIMED_OUT'],
    [['failed', 'cancelled'], 'CANCELLED'],
  ]
  for (const [runs, status] of cases) t.equal(sessionStatus(runs), status, runs.join(' '))
})

t.test('it is final exactly when no run is running, whatever their order', async (t) => {
  const runs = fc.array(fc.constantFrom(...states), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(runs, (runs) => {
      const status = sessionStatus(runs)
      return isFinal(status) === !runs.includes('running') && status === sessionStatus([...runs].reverse())
    }),
  )
  t.pass('no counterexample')
})
