/** The schedules of which orders are made, in the order of their checks, some at a time. */
import type { App } from '../../../platform/app/app.ts'
import { query } from '../../../platform/store/database/query.ts'
import type { SchedulesTable } from '../../../platform/store/database/tables/runs.ts'
import type { Scope, Touched } from './orders-revision.ts'

type Position = { afterId: string; limit: number }

const schedulesOfScope = query('schedules-of-scope', (k, p: Scope & Position) => {
  const schedules = k
    .selectFrom('schedules')
    .selectAll()
    .where('check_id', '>', p.afterId)
    .orderBy('check_id')
    .limit(p.limit)
  return p.accountId === null ? schedules : schedules.where('account_id', '=', p.accountId)
})

const touchedSchedules = query('touched-schedules', (k, p: Scope & Position & Touched, engine) => {
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
  return p.accountId === null ? schedules : schedules.where('account_id', '=', p.accountId)
})

/** `touched`: null: all. */
export const candidates = (
  { db }: Pick<App, 'db'>,
  { touched, ...where }: Scope & Position & { touched: Touched | null },
): Promise<SchedulesTable[]> =>
  touched === null ? db.all(schedulesOfScope, where) : db.all(touchedSchedules, { ...where, ...touched })
