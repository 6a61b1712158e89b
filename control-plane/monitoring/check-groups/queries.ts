/** All SQL about check groups. */
import type { Db } from '../../platform/database/db.ts'
import { query } from '../../platform/database/query.ts'
import type { CheckGroupsTable } from '../../platform/database/tables/check-groups.ts'

type OneGroup = { id: number; accountId: string }

export const groupsOfAccount = query('groups-of-account', (k, p: { accountId: string }) =>
  k.selectFrom('check_groups').selectAll().where('account_id', '=', p.accountId).orderBy('id'),
)

export const findGroup = query('find-check-group', (k, p: OneGroup) =>
  k.selectFrom('check_groups').selectAll().where('id', '=', p.id).where('account_id', '=', p.accountId),
)

/** For a change: neither the group nor which checks it holds changes until the transaction ends. */
export const lockGroup = query('lock-check-group', (k, p: OneGroup, engine) => {
  const one = k
    .selectFrom('check_groups')
    .selectAll()
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
  return engine.rowLocks ? one.forUpdate() : one
})

/**
 * For whoever writes a check of the group, or moves one out of it: the group stays as it is until the transaction ends.
 * Checks are locked before their groups.
 */
export const shareGroup = query('share-check-group', (k, p: OneGroup, engine) => {
  const one = k
    .selectFrom('check_groups')
    .selectAll()
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
  return engine.rowLocks ? one.forShare() : one
})

export const insertGroup = query('insert-check-group', (k, p: CheckGroupsTable) =>
  k.insertInto('check_groups').values({
    id: p.id,
    account_id: p.account_id,
    name: p.name,
    activated: p.activated,
    created_at: p.created_at,
    updated_at: p.updated_at,
    version: p.version,
    doc: p.doc,
  }),
)

export const updateGroup = query('update-check-group', (k, p: CheckGroupsTable) =>
  k
    .updateTable('check_groups')
    .set({
      name: p.name,
      activated: p.activated,
      updated_at: p.updated_at,
      version: p.version,
      doc: p.doc,
    })
    .where('id', '=', p.id)
    .where('account_id', '=', p.account_id),
)

export const deleteGroup = query('delete-check-group', (k, p: OneGroup) =>
  k.deleteFrom('check_groups').where('id', '=', p.id).where('account_id', '=', p.accountId),
)

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

export type GroupFilter = {
  accountId: string
  /** Any of them. */
  tags?: readonly string[] | undefined
  names?: readonly string[] | undefined
}

/** Oldest first: a group keeps its place. */
export const listGroups = (
  db: Db,
  filter: GroupFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<CheckGroupsTable[]> =>
  db.select((k) => filtered(k, filter).selectAll('g').orderBy('g.id').limit(limit).offset(offset))

export const countGroups = async (db: Db, filter: GroupFilter): Promise<number> => {
  const [row] = await db.select((k) =>
    filtered(k, filter).select((at) => at.fn.countAll<number>().as('total')),
  )
  return row?.total ?? 0
}

type Builder = Parameters<Parameters<Db['select']>[0]>[0]

const filtered = (k: Builder, { accountId, tags, names }: GroupFilter) => {
  let list = k.selectFrom('check_groups as g').where('g.account_id', '=', accountId)
  if (names !== undefined) list = list.where('g.name', 'in', names)
  if (tags !== undefined)
    list = list.where(
      'g.id',
      'in',
      k
        .selectFrom('check_group_tags')
        .select('group_id')
        .where('account_id', '=', accountId)
        .where('tag', 'in', tags),
    )
  return list
}
