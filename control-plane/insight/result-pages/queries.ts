/** What a result's page reads beside what others read as well. A link names its result without an account. */
import { query } from '../../platform/database/query.ts'

export const linkedResult = query('linked-result', (k, p: { id: string; checkId: string }) =>
  k
    .selectFrom('results')
    .selectAll()
    .where('id', '=', p.id)
    .where('check_id', '=', p.checkId)
    // A removed check's results go little by little.
    .where((of) =>
      of.exists(of.selectFrom('checks').select('checks.id').whereRef('checks.id', '=', 'results.check_id')),
    ),
)

export const newestFinal = query('newest-final', (k, p: { checkId: string }) =>
  k
    .selectFrom('results')
    .selectAll()
    .where('check_id', '=', p.checkId)
    .where('result_type', '=', 'FINAL')
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
)

type Sequence = { checkId: string; sequenceId: string; from: number; to: number }

/** All attempts of one run, in the order they were made. */
export const attemptsOfRun = query('attempts-of-run', (k, p: Sequence) =>
  k
    .selectFrom('results')
    .selectAll()
    .where('check_id', '=', p.checkId)
    .where('started_at', '>=', p.from)
    .where('started_at', '<=', p.to)
    .where('sequence_id', '=', p.sequenceId)
    .orderBy('attempts'),
)

export const lookOfCheck = query('look-of-check', (k, p: { checkId: string }) =>
  k
    .selectFrom('certificate_looks')
    .select(['domain', 'looked_at', 'expires_at', 'error'])
    .where('check_id', '=', p.checkId),
)
