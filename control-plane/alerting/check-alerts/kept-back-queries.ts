/** All SQL about the times in which failures were kept back because of what their checks depend on. */
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import { rowStatement } from '../../platform/store/database/row-statement.ts'
import type { KeptBackFailuresTable } from '../../platform/store/database/tables/alert-channels.ts'

export const keptBackRows = rowStatement({
  name: 'insert-kept-back-failure',
  table: 'kept_back_failures',
  valuesOf: (p: KeptBackFailuresTable) => ({
    id: p.id,
    account_id: p.account_id,
    check_id: p.check_id,
    because: p.because,
    because_name: p.because_name,
    began_at: p.began_at,
    ended_at: p.ended_at,
  }),
})

export const deleteKeptBackOfCheck = query('delete-kept-back-of-check', (k, p: { checkId: string }) =>
  k.deleteFrom('kept_back_failures').where('check_id', '=', p.checkId),
)

/** The latest that are over, newest first. */
export const latestKeptBack = query('latest-kept-back', (k, p: { checkId: string; limit: number }) =>
  k
    .selectFrom('kept_back_failures')
    .select(['because_name', 'began_at', 'ended_at'])
    .where('check_id', '=', p.checkId)
    .orderBy('ended_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit),
)

/** Of checks that are not well; what keeps them back now stands in the documents. */
export const keptBackStates = query('kept-back-states', (k, p: { checkIds: readonly string[] }, engine) =>
  k
    .selectFrom('alert_states')
    .select(['check_id', 'doc'])
    .where('check_id', 'in', engine.textList(p.checkIds))
    .where('level', '<>', 'passing'),
)

type OfChecks = { checkIds: readonly string[]; from: number; limit: number }
type Place = { checkId: string; endedAt: number; id: string }

/** Of several checks, those that ended at `from` or later, check by check, the earliest end first; behind a place. */
export const keptBackOfChecks = (db: Db, { checkIds, from, limit }: OfChecks, after: Place | null) =>
  db.select((k, engine) =>
    k
      .selectFrom('kept_back_failures')
      .select(['id', 'check_id', 'because_name', 'began_at', 'ended_at'])
      .where('check_id', 'in', engine.textList(checkIds))
      .where('ended_at', '>', from)
      .$if(after !== null, (rows) =>
        rows.where((at) =>
          at(
            at.refTuple('check_id', 'ended_at', 'id'),
            '>',
            at.tuple(after?.checkId ?? '', after?.endedAt ?? 0, after?.id ?? ''),
          ),
        ),
      )
      .orderBy('check_id')
      .orderBy('ended_at')
      .orderBy('id')
      .limit(limit),
  )
