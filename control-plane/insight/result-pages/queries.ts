/** What a result's page reads beside what others read as well. A link names its result without an account. */

import { someDocumented } from '../../monitoring/results/stored/list-results.ts'
import type { ResultWithDoc } from '../../monitoring/results/stored/result.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'

export const newestFinal = async (db: Db, checkId: string): Promise<ResultWithDoc | undefined> => {
  const filter = { resultType: 'FINAL' } as const
  const [newest] = await someDocumented(db, { checkId, direction: 'newest-first', filter }, 1)
  return newest
}

type Sequence = { checkId: string; sequenceId: string; from: number; to: number }

/** All attempts of one run, in the order they were made. */
export const attemptsOfRun = async (
  db: Db,
  { checkId, sequenceId, from, to }: Sequence,
): Promise<ResultWithDoc[]> => {
  const filter = { sequenceIds: [sequenceId] }
  const list = { checkId, direction: 'oldest-first', from, to: to + 1, filter } as const
  const attempts = await someDocumented(db, list, maxAttempts)
  return attempts.toSorted((a, b) => a.attempts - b.attempts)
}

/** More than a run is tried. */
const maxAttempts = 100

export const lookOfCheck = query('look-of-check', (k, p: { checkId: string }) =>
  k
    .selectFrom('certificate_looks')
    .select(['domain', 'looked_at', 'expires_at', 'error'])
    .where('check_id', '=', p.checkId),
)
