import t from 'tap'
import {
  doubleCheckStrategy,
  type FailedAttempt,
  nextRetry,
  type RetryStrategy,
  retryStrategyOf,
} from '../../protocol/retry.ts'

/** The waits in seconds that a run which always fails at once leads to. */
const waits = (strategy: RetryStrategy | null, more: Partial<FailedAttempt> = {}): number[] => {
  const found: number[] = []
  for (let attempt = 1; attempt <= 20; attempt++) {
    const elapsedMs = found.reduce((sum, wait) => sum + wait * 1000, 0)
    const retry = nextRetry(strategy, { attempt, networkError: false, elapsedMs, parallel: false, ...more })
    if (retry === null) return found
    found.push(retry.waitMs / 1000)
  }
  throw new Error('it never ends')
}

const cases: [name: string, strategy: RetryStrategy | null, expected: number[]][] = [
  ['no strategy', null, []],
  ['FIXED', { type: 'FIXED', baseBackoffSeconds: 5, maxRetries: 3 }, [5, 5, 5]],
  ['LINEAR', { type: 'LINEAR', baseBackoffSeconds: 5, maxRetries: 3 }, [5, 10, 15]],
  ['EXPONENTIAL', { type: 'EXPONENTIAL', baseBackoffSeconds: 5, maxRetries: 3 }, [5, 25, 125]],
  [
    'SINGLE_RETRY',
    { type: 'SINGLE_RETRY', baseBackoffSeconds: 5, maxRetries: 2, maxDurationSeconds: 1 },
    [5],
  ],
  ['the defaults', {}, [60, 60]],
  ['at most ten', { baseBackoffSeconds: 0, maxRetries: 10 }, Array(10).fill(0)],
  [
    'the duration covers the waits',
    { baseBackoffSeconds: 60, maxRetries: 9, maxDurationSeconds: 150 },
    [60, 60],
  ],
  ['no time for any', { baseBackoffSeconds: 1, maxDurationSeconds: 0 }, []],
  ['the double check', doubleCheckStrategy, [0]],
]

for (const [name, strategy, expected] of cases)
  t.test(name, async (t) => t.strictSame(waits(strategy), expected))

const failed = { attempt: 1, networkError: false, elapsedMs: 0, parallel: false }

t.test('the duration covers what the attempts took', async (t) => {
  const strategy = { baseBackoffSeconds: 10, maxDurationSeconds: 40 }
  t.match(nextRetry(strategy, { ...failed, elapsedMs: 30_000 }), { waitMs: 10_000 })
  t.equal(nextRetry(strategy, { ...failed, elapsedMs: 30_001 }), null)
})

t.test('onlyOn NETWORK_ERROR retries nothing else', async (t) => {
  const strategy: RetryStrategy = { onlyOn: ['NETWORK_ERROR'] }
  t.equal(nextRetry(strategy, failed), null)
  t.ok(nextRetry(strategy, { ...failed, networkError: true }))
  t.ok(nextRetry({ onlyOn: [] }, failed), 'an empty list is none')
})

t.test('another region only when asked for, and never for parallel runs', async (t) => {
  t.equal(nextRetry({}, failed)?.elsewhere, false)
  t.equal(nextRetry({ sameRegion: false }, failed)?.elsewhere, true)
  t.equal(nextRetry({ sameRegion: false }, { ...failed, parallel: true })?.elsewhere, false)
})

t.test('whose strategy applies', async (t) => {
  const own = { retryStrategy: { maxRetries: 3 }, doubleCheck: true }
  const group = (retryStrategy: object | 'FALLBACK' | null) => ({ retryStrategy })
  t.equal(retryStrategyOf(own, null), own.retryStrategy, "the check's, before its double check")
  t.equal(retryStrategyOf({ ...own, retryStrategy: null }, null), doubleCheckStrategy)
  t.equal(retryStrategyOf({ retryStrategy: null, doubleCheck: false }, null), null)
  t.equal(retryStrategyOf(own, group('FALLBACK')), own.retryStrategy)
  t.strictSame(retryStrategyOf(own, group({ maxRetries: 1 })), { maxRetries: 1 }, "the group's")
  t.equal(retryStrategyOf(own, group(null)), null, 'a group may forbid retries')
  t.equal(retryStrategyOf({ doubleCheck: true }, group({ maxRetries: 1 })), null, 'types without retries')
})
