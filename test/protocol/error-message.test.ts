import t from 'tap'
import { errorMessageOf } from '../../protocol/error-message.ts'
import { evaluate } from '../../protocol/evaluate.ts'
import type { Observation, Outcome } from '../../protocol/result.ts'
import { assertion } from '../support/facts.ts'

const observed = (more: Partial<Observation>): Outcome => ({
  kind: 'observed',
  observation: {
    responseTime: 10,
    failure: null,
    assertions: [],
    degraded: false,
    metrics: {},
    detail: {},
    ...more,
  },
})

const judgement = { degradedResponseTime: 100, maxResponseTime: 1000 }
const messageOf = (outcome: Outcome) => errorMessageOf(outcome, evaluate(outcome, judgement), judgement)

t.test('the failure speaks first, then the first failed assertion, then the threshold', async (t) => {
  const failure = { code: 'ECONNREFUSED', message: 'refused', network: true }
  const passed = assertion({ passed: true, error: null })
  const failed = assertion({ error: 'expected a but it was b' })
  t.equal(messageOf(observed({ failure, assertions: [failed], responseTime: 2000 })), 'refused')
  t.equal(
    messageOf(observed({ assertions: [passed, failed, assertion()], responseTime: 2000 })),
    'expected a but it was b',
  )
  t.equal(
    messageOf(observed({ assertions: [assertion({ error: null })] })),
    'The assertion on STATUS_CODE (EQUALS 200) does not hold',
  )
  t.equal(
    messageOf(observed({ responseTime: 1000.6 })),
    'The response time of 1001 ms is over the limit of 1000 ms',
  )
})

t.test('what could not run says why; what passed, is degraded or was cancelled says nothing', async (t) => {
  t.equal(messageOf({ kind: 'could-not-run', reason: 'no memory' }), 'no memory')
  t.equal(messageOf({ kind: 'cancelled' }), null)
  t.equal(messageOf(observed({})), null)
  t.equal(messageOf(observed({ responseTime: 500 })), null)
})
