import t from 'tap'
import type { Result } from '../../../../../control-plane/monitoring/results/stored/result.ts'
import { pastRounds } from '../../../../../control-plane/monitoring/watches/late-judging/past-rounds.ts'

const failed = (dueAt: number, stoppedAt: number): Result =>
  ({
    check_run_id: dueAt,
    stopped_at: stoppedAt,
    has_failures: true,
    has_errors: false,
    is_degraded: false,
    is_cancelled: false,
  }) as unknown as Result

t.test(
  'a run that was repeated after the outage is not judged after those that were due later',
  async (t) => {
    const results = [failed(10, 95), failed(20, 22), failed(30, 33)]
    const { runs } = pastRounds(results, { subject: { expected: 1, share: 100 }, before: 100 })
    t.strictSame(
      runs.map(({ at, level }) => [at, level]),
      [
        [22, 'failing'],
        [22, 'failing'],
        [33, 'failing'],
      ],
    )
  },
)
