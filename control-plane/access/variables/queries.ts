/** All SQL about variables. `value` goes in and comes out sealed (sealed-value.ts). */
import type { Db } from '../../platform/database/db.ts'
import { query } from '../../platform/database/query.ts'
import type { VariablesTable } from '../../platform/database/tables/configuration.ts'

type OneVariable = { accountId: string; key: string }

export const findVariable = query('find-variable', (k, p: OneVariable) =>
  k.selectFrom('variables').selectAll().where('account_id', '=', p.accountId).where('key', '=', p.key),
)

/** For a change that builds on what is there: nobody else changes the row until the transaction ends. */
export const lockVariable = query('lock-variable', (k, p: OneVariable, engine) => {
  const one = k
    .selectFrom('variables')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where('key', '=', p.key)
  return engine.rowLocks ? one.forUpdate() : one
})

type Page = { accountId: string; limit: number; offset: number }

export const listVariables = query('list-variables', (k, p: Page) =>
  k
    .selectFrom('variables')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .orderBy('created_at')
    .orderBy('key')
    .limit(p.limit)
    .offset(p.offset),
)

/** For the jobs of all its checks. */
export const variablesOfAccount = query('variables-of-account', (k, p: { accountId: string }) =>
  k.selectFrom('variables').selectAll().where('account_id', '=', p.accountId).orderBy('key'),
)

const count = query('count-variables', (k, p: { accountId: string }) =>
  k
    .selectFrom('variables')
    .select((at) => at.fn.countAll<number>().as('total'))
    .where('account_id', '=', p.accountId),
)

export const countVariables = async (db: Db, accountId: string): Promise<number> =>
  (await db.get(count, { accountId }))?.total ?? 0

/** Does nothing when the key is taken. */
export const insertVariable = query('insert-variable', (k, p: VariablesTable) =>
  k
    .insertInto('variables')
    .values({
      account_id: p.account_id,
      key: p.key,
      value: p.value,
      locked: p.locked,
      secret: p.secret,
      created_at: p.created_at,
      updated_at: p.updated_at,
      version: p.version,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'key']).doNothing()),
)

export const updateVariable = query('update-variable', (k, p: VariablesTable) =>
  k
    .updateTable('variables')
    .set({
      value: p.value,
      locked: p.locked,
      secret: p.secret,
      updated_at: p.updated_at,
      version: p.version,
    })
    .where('account_id', '=', p.account_id)
    .where('key', '=', p.key),
)

export const deleteVariable = query('delete-variable', (k, p: OneVariable) =>
  k.deleteFrom('variables').where('account_id', '=', p.accountId).where('key', '=', p.key),
)
