/** All SQL about root cause analyses. What the analyst reads of results is in history-queries.ts. */
import { query } from '../../platform/store/database/query.ts'
import { rowStatement } from '../../platform/store/database/row-statement.ts'

type NewAnalysis = {
  id: string
  accountId: string
  checkId: string
  checkType: string
  errorGroupId: string
  userContext: string
  now: number
}

export const analysisRows = rowStatement({
  name: 'insert-analysis',
  table: 'root_cause_analyses',
  valuesOf: (p: NewAnalysis) => ({
    id: p.id,
    account_id: p.accountId,
    check_id: p.checkId,
    error_group_id: p.errorGroupId,
    check_type: p.checkType,
    status: 'PENDING',
    user_context: p.userContext,
    claimed_until: 0,
    claims: 0,
    created_at: p.now,
    completed_at: null,
    doc: '{}',
  }),
  also: (insert) => insert.onConflict((conflict) => conflict.column('id').doNothing()),
})

export const insertAnalysis = analysisRows.one

/** What an analysis is about. */
export const findErrorGroup = query('find-error-group', (k, p: { id: string; accountId: string }) =>
  k.selectFrom('error_groups').selectAll().where('id', '=', p.id).where('account_id', '=', p.accountId),
)

export const findAnalysis = query('find-analysis', (k, p: { id: string; accountId: string }) =>
  k
    .selectFrom('root_cause_analyses')
    .selectAll()
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId),
)

/** Newest first. */
export const completedAnalyses = query(
  'completed-analyses',
  (k, p: { accountId: string; groupIds: readonly string[] }, engine) =>
    k
      .selectFrom('root_cause_analyses')
      .selectAll()
      .where('account_id', '=', p.accountId)
      .where('error_group_id', 'in', engine.textList(p.groupIds))
      .where('status', '=', 'COMPLETED')
      .orderBy('created_at', 'desc')
      .orderBy('id'),
)

/** Oldest first; those that nobody works on, or whose worker is gone. */
export const waitingAnalyses = query('waiting-analyses', (k, p: { now: number; limit: number }) =>
  k
    .selectFrom('root_cause_analyses')
    .selectAll()
    // Not by status: a bound value would not let SQLite use the index of the unfinished ones.
    .where('completed_at', 'is', null)
    .where('claimed_until', '<=', p.now)
    .orderBy('created_at')
    .orderBy('id')
    .limit(p.limit),
)

type Claim = { id: string; claims: number; now: number; until: number }

/** One row changed: the claim is ours. `claims` is the count that was seen. */
export const claimAnalysis = query('claim-analysis', (k, p: Claim) =>
  k
    .updateTable('root_cause_analyses')
    .set((at) => ({ claimed_until: p.until, claims: at('claims', '+', 1) }))
    .where('id', '=', p.id)
    .where('status', '=', 'PENDING')
    .where('claims', '=', p.claims)
    .where('claimed_until', '<=', p.now),
)

/** Of whoever had them. */
export const endAnalysisClaims = query('end-analysis-claims', (k, p: { now: number }) =>
  k
    .updateTable('root_cause_analyses')
    .set({ claimed_until: p.now })
    .where('completed_at', 'is', null)
    .where('claimed_until', '>', p.now),
)

/** `claims`: the count after our claim; nothing changes when somebody else has claimed it since. */
export const completeAnalysis = query(
  'complete-analysis',
  (k, p: { id: string; claims: number; now: number; doc: string }) =>
    k
      .updateTable('root_cause_analyses')
      .set({ status: 'COMPLETED', completed_at: p.now, doc: p.doc })
      .where('id', '=', p.id)
      .where('status', '=', 'PENDING')
      .where('claims', '=', p.claims),
)

export const deleteAnalysesOfCheck = query('delete-analyses-of-check', (k, p: { checkId: string }) =>
  k.deleteFrom('root_cause_analyses').where('check_id', '=', p.checkId),
)
