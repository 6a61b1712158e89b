/** All SQL about checks as customers see them. What the engine room reads of a check is in definitions/checks/checks-by-id.ts. */
import { query } from '../../../platform/store/database/query.ts'
import type { ChecksTable } from '../../../platform/store/database/tables/runs.ts'

type OneCheck = { id: string; accountId: string }

export const findCheck = query('find-check', (k, p: OneCheck) =>
  k
    .selectFrom('checks')
    // Only what is shown: on the API's hottest read every column counts.
    .select(['id', 'type', 'created_at', 'updated_at', 'version', 'doc'])
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId),
)

/** What says whether a check is still shown as before: its version, and any subscription of its own. */
export const findCheckHead = query('find-check-head', (k, p: OneCheck & { subject: string }) =>
  k
    .selectFrom('checks')
    .select((at) => [
      'version',
      at
        .selectFrom('channel_subscriptions as s')
        .select('s.id')
        .where('s.account_id', '=', p.accountId)
        .where('s.subject', '=', p.subject)
        .limit(1)
        .as('subscription_id'),
    ])
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId),
)

export const findCheckOfGroup = query('find-check-of-group', (k, p: OneCheck & { groupId: number }) =>
  k
    .selectFrom('checks')
    .select(['id', 'type', 'created_at', 'updated_at', 'version', 'doc'])
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .where('group_id', '=', p.groupId),
)

/** For a change that builds on what is there: nobody else changes the row until the transaction ends. */
export const lockCheck = query('lock-check', (k, p: OneCheck, engine) => {
  const one = k.selectFrom('checks').selectAll().where('id', '=', p.id).where('account_id', '=', p.accountId)
  return engine.rowLocks ? one.forUpdate() : one
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
  k.deleteFrom('checks').where('id', '=', p.id).where('account_id', '=', p.accountId).returning('group_id'),
)

/** Oldest first. */
export const checksOfGroup = query('checks-of-group', (k, p: { groupId: number; accountId: string }) =>
  k
    .selectFrom('checks')
    .select(['id', 'type', 'doc'])
    .where('account_id', '=', p.accountId)
    .where('group_id', '=', p.groupId)
    .orderBy('created_at')
    .orderBy('id'),
)

/** Scheduled checks that need agents with this runtime. */
export const checksWithRuntime = query(
  'checks-with-runtime',
  (k, p: { accountId: string; runtimeId: string }) =>
    k
      .selectFrom('checks as c')
      .innerJoin('schedules as s', 's.check_id', 'c.id')
      .select(['c.id', 'c.type', 'c.group_id', 'c.doc'])
      .where('c.account_id', '=', p.accountId)
      .where('s.runtime_id', '=', p.runtimeId)
      .orderBy('c.id'),
)

type OfCheck = { checkId: string }

export const insertTag = query('insert-check-tag', (k, p: OfCheck & { accountId: string; tag: string }) =>
  k
    .insertInto('check_tags')
    .values({ check_id: p.checkId, account_id: p.accountId, tag: p.tag })
    .onConflict((conflict) => conflict.doNothing()),
)

export const deleteTags = query('delete-check-tags', (k, p: OfCheck) =>
  k.deleteFrom('check_tags').where('check_id', '=', p.checkId),
)

export const findFiles = query('find-check-files', (k, p: OfCheck) =>
  k.selectFrom('check_files').select('doc').where('check_id', '=', p.checkId),
)

export const upsertFiles = query('upsert-check-files', (k, p: OfCheck & { accountId: string; doc: string }) =>
  k
    .insertInto('check_files')
    .values({ check_id: p.checkId, account_id: p.accountId, doc: p.doc })
    .onConflict((conflict) => conflict.column('check_id').doUpdateSet({ doc: p.doc })),
)

export const deleteFiles = query('delete-check-files', (k, p: OfCheck) =>
  k.deleteFrom('check_files').where('check_id', '=', p.checkId),
)
