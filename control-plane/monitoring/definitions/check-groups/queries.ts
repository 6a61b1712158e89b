/** All SQL about check groups. */

import { taggedGroups } from '../../../communication/maintenance-windows/tagged.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { documentQueries } from '../../../platform/store/database/document-queries.ts'
import type { Engine } from '../../../platform/store/database/engines.ts'
import { hasText } from '../../../platform/store/database/has-text.ts'
import { query } from '../../../platform/store/database/query.ts'
import type { CheckGroupsTable } from '../../../platform/store/database/tables/checks.ts'

/**
 * `lockGroup` is for a change: neither the group nor which checks it holds changes meanwhile. `shareGroup` is for whoever
 * writes a check of the group, or moves one out of it. Checks are locked before their groups.
 */
export const {
  all: groupsOfAccount,
  find: findGroup,
  lock: lockGroup,
  share: shareGroup,
  insert: insertGroup,
  update: updateGroup,
  remove: deleteGroup,
} = documentQueries('check_groups', {
  name: 'check-group',
  key: 'id',
  columns: {
    name: 'changes',
    activated: 'changes',
    created_at: 'stays',
    updated_at: 'changes',
    version: 'changes',
    doc: 'changes',
  },
})

export const insertGroupTag = query(
  'insert-check-group-tag',
  (k, p: { groupId: number; accountId: string; tag: string }) =>
    k
      .insertInto('check_group_tags')
      .values({ group_id: p.groupId, account_id: p.accountId, tag: p.tag })
      .onConflict((conflict) => conflict.doNothing()),
)

export const deleteGroupTags = query('delete-check-group-tags', (k, p: { groupId: number }) =>
  k.deleteFrom('check_group_tags').where('group_id', '=', p.groupId),
)

export const groupsById = (
  db: Db,
  accountIds: readonly string[],
  ids: readonly number[],
): Promise<CheckGroupsTable[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db.select((k) =>
        k.selectFrom('check_groups').selectAll().where('account_id', 'in', accountIds).where('id', 'in', ids),
      )

type GroupFilter = {
  accountId: string
  /** Any of them. */
  tags?: readonly string[] | undefined
  names?: readonly string[] | undefined
  /** Part of the name or a tag, in any case. */
  search?: string | undefined
}

/** Oldest first: a group keeps its place. */
export const listGroups = (
  db: Db,
  filter: GroupFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<CheckGroupsTable[]> =>
  db.select((k, engine) =>
    filtered(k, engine, filter).selectAll('g').orderBy('g.id').limit(limit).offset(offset),
  )

export const countGroups = async (db: Db, filter: GroupFilter): Promise<number> => {
  const [row] = await db.select((k, engine) =>
    filtered(k, engine, filter).select((at) => at.fn.countAll<number>().as('total')),
  )
  return row?.total ?? 0
}

const searchable = { columns: ['g.name'], paths: ['tags'], doc: 'g.doc' }

type Builder = Parameters<Parameters<Db['select']>[0]>[0]

const filtered = (k: Builder, engine: Engine, { accountId, tags, names, search }: GroupFilter) => {
  let list = k.selectFrom('check_groups as g').where('g.account_id', '=', accountId)
  if (names !== undefined) list = list.where('g.name', 'in', names)
  if (search !== undefined) list = list.where(hasText(engine, searchable, search))
  if (tags !== undefined)
    list = list.where('g.id', 'in', taggedGroups(k, { accountId, tags }).select('group_id'))
  return list
}
