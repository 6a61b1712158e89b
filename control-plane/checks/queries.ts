/** All SQL about checks as customers see them. What the engine room reads of a check is in runs/check-queries.ts. */
import type { Db } from '../database/db.ts'
import { query } from '../database/query.ts'
import type { ChecksTable } from '../database/tables/runs.ts'

type OneCheck = { id: string; accountId: string }

export const findCheck = query('find-check', (k, p: OneCheck) =>
  k.selectFrom('checks').selectAll().where('id', '=', p.id).where('account_id', '=', p.accountId),
)

/** For a change that builds on what is there: nobody else changes the row until the transaction ends. */
export const lockCheck = query('lock-check', (k, p: OneCheck, engine) => {
  const one = k.selectFrom('checks').selectAll().where('id', '=', p.id).where('account_id', '=', p.accountId)
  return engine.skipLocked ? one.forUpdate() : one
})

export const insertCheck = query('insert-check', (k, p: Omit<ChecksTable, 'updated_at' | 'version'>) =>
  k.insertInto('checks').values({
    id: p.id,
    account_id: p.account_id,
    type: p.type,
    name: p.name,
    activated: p.activated,
    group_id: p.group_id,
    created_at: p.created_at,
    updated_at: null,
    version: 1,
    doc: p.doc,
  }),
)

type CheckChange = Pick<ChecksTable, 'id' | 'name' | 'activated' | 'group_id' | 'doc'> & {
  updated_at: number
  version: number
}

export const updateCheck = query('update-check', (k, p: CheckChange) =>
  k
    .updateTable('checks')
    .set({
      name: p.name,
      activated: p.activated,
      group_id: p.group_id,
      updated_at: p.updated_at,
      version: p.version,
      doc: p.doc,
    })
    .where('id', '=', p.id),
)

export const deleteCheck = query('delete-check', (k, p: OneCheck) =>
  k.deleteFrom('checks').where('id', '=', p.id).where('account_id', '=', p.accountId),
)

export const deleteResultsOfCheck = query('delete-results-of-check', (k, p: { checkId: string }) =>
  k.deleteFrom('results').where('check_id', '=', p.checkId),
)

export const deleteMissedRunsOfCheck = query('delete-missed-runs-of-check', (k, p: { checkId: string }) =>
  k.deleteFrom('missed_runs').where('check_id', '=', p.checkId),
)

export type CheckFilter = { accountId: string; checkType?: string; search?: string }
type Window = { limit: number; offset: number }

/** Oldest first: a check keeps its place. */
export const listChecks = (db: Db, filter: CheckFilter, { limit, offset }: Window): Promise<ChecksTable[]> =>
  db.select((k, engine) => {
    let list = k.selectFrom('checks').selectAll().where('account_id', '=', filter.accountId)
    if (filter.checkType !== undefined) list = list.where('type', '=', filter.checkType)
    if (filter.search !== undefined)
      list = list.where((at) => engine.containsText(at.ref('name'), containing(filter.search)))
    return list.orderBy('created_at').orderBy('id').limit(limit).offset(offset)
  })

export const countChecks = async (db: Db, filter: CheckFilter): Promise<number> => {
  const [row] = await db.select((k, engine) => {
    let list = k
      .selectFrom('checks')
      .select((at) => at.fn.countAll<number>().as('total'))
      .where('account_id', '=', filter.accountId)
    if (filter.checkType !== undefined) list = list.where('type', '=', filter.checkType)
    if (filter.search !== undefined)
      list = list.where((at) => engine.containsText(at.ref('name'), containing(filter.search)))
    return list
  })
  return row?.total ?? 0
}

const containing = (text = ''): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
