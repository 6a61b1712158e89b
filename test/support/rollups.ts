/** Results in the store as intake leaves them, and what a recount of them says. */

import { noteLateResults } from '../../control-plane/monitoring/results/rollups/late-results.ts'
import type { Sample } from '../../control-plane/monitoring/results/rollups/number-metric.ts'
import { rollupTick } from '../../control-plane/monitoring/results/rollups/rollup-tick.ts'
import { insertResults } from '../../control-plane/monitoring/runs/result-queries.ts'
import type { WholeApp } from '../../control-plane/whole-app.ts'
import { newStoredResult, type StoredResult } from './stored-results.ts'

/** In one transaction with the note of what is late. */
export const takeIn = async (
  { app, accountId }: { app: WholeApp; accountId: string },
  results: readonly StoredResult[],
): Promise<void> => {
  const rows = results.map((result) => newStoredResult({ app, accountId }, result))
  await app.db.transaction(async (trx) => {
    await insertResults(trx, rows)
    await noteLateResults(trx, rows)
  })
}

export const countAll = (app: WholeApp): Promise<void> => rollupTick(app, new AbortController().signal)

export type RunModel = Pick<Sample, 'startedAt' | 'location' | 'passed' | 'responseTime' | 'retries'>
