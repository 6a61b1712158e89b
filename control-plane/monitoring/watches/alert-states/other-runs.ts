/** What judging a run reads of the check's other runs. */
import type { Db } from '../../../platform/store/database/db.ts'
import { someResults } from '../../results/stored/list-results.ts'
import type { Result } from '../../results/stored/result.ts'

/** The final results of one due time in all locations. `since`: no run of it starts earlier. */
export const finalsOfRun = (
  db: Db,
  { checkId, checkRunId, since }: { checkId: string; checkRunId: number; since: number },
): Promise<Result[]> => {
  const filter = { checkRunId, resultType: 'FINAL' } as const
  return someResults(db, { checkId, direction: 'oldest-first', from: since, filter }, maxLocations)
}

/** More than a check has locations. */
const maxLocations = 10_000

/** When the check's latest run with a verdict ended, apart from these results. */
export const lastVerdictBefore = async (
  db: Db,
  { checkId, excluded }: { checkId: string; excluded: readonly string[] },
): Promise<Result | undefined> => {
  const filter = { resultType: 'FINAL', hasErrors: false, isCancelled: false } as const
  const last = await someResults(db, { checkId, direction: 'newest-first', filter }, excluded.length + 1)
  return last.find(({ id }) => !excluded.includes(id))
}
