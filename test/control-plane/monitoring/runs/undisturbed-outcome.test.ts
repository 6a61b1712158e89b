import t from 'tap'
import { undisturbedOutcome } from '../../../../control-plane/monitoring/runs/undisturbed-outcome.ts'
import { evaluate } from '../../../../protocol/evaluate.ts'
import type { Observation, Outcome } from '../../../../protocol/result.ts'
import { assertion } from '../../../support/facts.ts'

const limits = { degradedResponseTime: 500, maxResponseTime: 1000 }

const outcomeOf = (change: Partial<Observation>): Outcome => ({
  kind: 'observed',
  observation: {
    responseTime: 10,
    failure: null,
    assertions: [],
    degraded: false,
    metrics: {},
    detail: {},
    ...change,
  },
})
const judged = (change: Partial<Observation>) => undisturbedOutcome(outcomeOf(change), limits)

t.test('a time that keeps its limit without the stalls of its agent is not the target’s', async (t) => {
  const failed = judged({ responseTime: 1400, stalledMs: 1200 })
  t.match(failed, { kind: 'could-not-run', reason: /stood for 1200 ms .* 1400 ms .* limit of 1000 ms/ })
  t.match(evaluate(failed, limits), { hasFailures: false, isDegraded: false, hasErrors: true })
  t.match(judged({ responseTime: 600, stalledMs: 200 }), { kind: 'could-not-run', reason: /limit of 500 ms/ })
  t.match(
    judged({ responseTime: 1200, stalledMs: 300 }),
    { kind: 'could-not-run' },
    'it may be degraded only',
  )
})

t.test('a time that is over its limit anyhow, and one that is not, stay what they are', async (t) => {
  for (const change of [
    { responseTime: 3000, stalledMs: 1200 },
    { responseTime: 900, stalledMs: 100 },
    { responseTime: 300, stalledMs: 250 },
    { responseTime: 2000 },
    { responseTime: 1400, stalledMs: 1200, assertions: [assertion({ passed: false })] },
    { responseTime: 1400, stalledMs: 1200, failure: { code: 'HTTP_STATUS', message: '500', network: false } },
  ])
    t.equal(judged(change).kind, 'observed', JSON.stringify(change))
  const noLimits = { degradedResponseTime: null, maxResponseTime: null }
  t.equal(undisturbedOutcome(outcomeOf({ responseTime: 9000, stalledMs: 8999 }), noLimits).kind, 'observed')
})
