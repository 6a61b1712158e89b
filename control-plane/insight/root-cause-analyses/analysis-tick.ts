/**
 * The loop that turns PENDING analyses into COMPLETED ones.
 *
 * A claim is a compare-and-set on the row's count of claims and ends after `claimMs`: of several control planes one does
 * the work, and what a killed one had claimed is claimed again. Only the holder of the latest claim completes the row.
 */

import type { App } from '../../platform/app/app.ts'
import type { HasOutgoing } from '../../platform/services/outgoing/outgoing.ts'
import type { RootCauseAnalysesTable } from '../../platform/store/database/tables/analysis.ts'
import { analyse } from './analyse.ts'
import { analysisDoc } from './analysis-doc.ts'
import type { HasAnalyst } from './analyst-settings.ts'
import { endpointTimeoutMs } from './ask-endpoint.ts'
import { gatherFacts } from './gather-facts.ts'
import { claimAnalysis, completeAnalysis, waitingAnalyses } from './queries.ts'

/** Longer than the slowest analyst. */
export const claimMs = endpointTimeoutMs + 60_000
/** Analyses that one tick works on at the same time. */
const atOnce = 8

export const analysisTick = async (app: App & HasAnalyst & HasOutgoing): Promise<void> => {
  const waiting = await app.db.all(waitingAnalyses, { now: app.clock.now(), limit: atOnce })
  await Promise.all(waiting.map((row) => claimAndAnalyse(app, row)))
}

const claimAndAnalyse = async (
  app: App & HasAnalyst & HasOutgoing,
  row: RootCauseAnalysesTable,
): Promise<void> => {
  const now = app.clock.now()
  const { id, claims } = row
  if ((await app.db.run(claimAnalysis, { id, claims, now, until: now + claimMs })) !== 1) return
  try {
    const gathered = await gatherFacts(app, row)
    // Its check was deleted meanwhile, and the row with it.
    if (gathered === null) return
    const { facts, resultId } = gathered
    const doc = analysisDoc.write({ ...(await analyse(app, facts)), resultId })
    await app.db.run(completeAnalysis, { id, claims: claims + 1, now: app.clock.now(), doc })
  } catch (error) {
    // Claimed again when the claim ends; the others of this tick must not wait for it.
    app.log.error({ err: error, analysisId: id }, 'A root cause analysis failed; it will be tried again')
  }
}
