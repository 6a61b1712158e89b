import type { CheckType } from '../../../protocol/check-type.ts'
import { resultDoc } from '../../monitoring/results/result-doc.ts'
import type { ResultWithDoc } from '../../monitoring/results/stored/result.ts'
import type { App } from '../../platform/app/app.ts'
import type { Facts } from './facts.ts'
import { type CheckColumns, checkFacts, maxRuns, runFacts } from './gather-facts.ts'
import { historyOf } from './history.ts'
import { recentRuns } from './history-queries.ts'

/**
 * The facts of one failing result, as they were when it failed: its own words and what its check had done until then. What
 * other checks did is left out: a page must not cost as many reads as the account has checks.
 */
export const factsOfResult = async (app: App, row: ResultWithDoc, check: CheckColumns): Promise<Facts> => {
  const doc = resultDoc.read(row.doc)
  const at = row.started_at
  const of = { checkId: row.check_id }
  return {
    now: at,
    userContext: '',
    check: checkFacts(check),
    group: { message: doc.error ?? '', firstSeenAt: at, lastSeenAt: at, events: 1 },
    run: runFacts(row, doc, check.type as CheckType),
    history: historyOf(await recentRuns(app.db, { ...of, until: at, limit: maxRuns }), at),
    neighbours: [],
  }
}
