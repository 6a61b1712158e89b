/** The schedules of which orders are made, in the order of their checks, some at a time. */
import type { App } from '../../../platform/app/app.ts'
import type { SchedulesTable } from '../../../platform/store/database/tables/runs.ts'
import type { Touched } from './orders-revision.ts'
import { type Scope, scopedQuery } from './scoped-query.ts'

type Position = { afterId: string; limit: number }

const schedulesOfScope = scopedQuery('schedules-of-scope', (k, p: Position, _, accountId) => {
  const schedules = k
    .selectFrom('schedules')
    .selectAll()
    .where('check_id', '>', p.afterId)
    .orderBy('check_id')
    .limit(p.limit)
  return accountId === null ? schedules : schedules.where('account_id', '=', accountId)
})

const touchedSchedules = scopedQuery('touched-schedules', (k, p: Position & Touched, engine, accountId) => {
  const schedules = k
    .selectFrom('schedules')
    .selectAll()
    .where('check_id', '>', p.afterId)
    .where((of) =>
      of.or([
        of('check_id', 'in', engine.textList(p.checkIds)),
        of('account_id', 'in', engine.textList(p.accountIds)),
      ]),
    )
    .orderBy('check_id')
    .limit(p.limit)
  return accountId === null ? schedules : schedules.where('account_id', '=', accountId)
})

/** `touched`: null: all. */
export const candidates = (
  { db }: Pick<App, 'db'>,
  { touched, ...where }: Scope & Position & { touched: Touched | null },
): Promise<SchedulesTable[]> =>
  touched === null
    ? db.all(schedulesOfScope(where), where)
    : db.all(touchedSchedules(where), { ...where, ...touched })
