/** All SQL about snippets. */
import type { Db } from '../../platform/database/db.ts'
import { query } from '../../platform/database/query.ts'
import type { SnippetsTable } from '../../platform/database/tables/configuration.ts'

type OneSnippet = { id: number; accountId: string }

export const findSnippet = query('find-snippet', (k, p: OneSnippet) =>
  k.selectFrom('snippets').selectAll().where('id', '=', p.id).where('account_id', '=', p.accountId),
)

/** For a change that builds on what is there: nobody else changes the row until the transaction ends. */
export const lockSnippet = query('lock-snippet', (k, p: OneSnippet, engine) => {
  const one = k
    .selectFrom('snippets')
    .selectAll()
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
  return engine.rowLocks ? one.forUpdate() : one
})

/** Those that the account has; none of them changes until the transaction ends. */
export const shareSnippets = (
  trx: Db,
  accountId: string,
  ids: readonly number[],
): Promise<Array<{ id: number }>> =>
  ids.length === 0
    ? Promise.resolve([])
    : trx.select((k, engine) => {
        const found = k
          .selectFrom('snippets')
          .select('id')
          .where('account_id', '=', accountId)
          .where('id', 'in', [...ids])
          .orderBy('id')
        return engine.rowLocks ? found.forShare() : found
      })

export const snippetsById = (
  db: Db,
  accountIds: readonly string[],
  ids: readonly number[],
): Promise<SnippetsTable[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db.select((k) =>
        k.selectFrom('snippets').selectAll().where('account_id', 'in', accountIds).where('id', 'in', ids),
      )

/** Of several with one name the oldest comes first. */
export const snippetsByName = (
  db: Db,
  accountIds: readonly string[],
  names: readonly string[],
): Promise<SnippetsTable[]> =>
  names.length === 0
    ? Promise.resolve([])
    : db.select((k) =>
        k
          .selectFrom('snippets')
          .selectAll()
          .where('account_id', 'in', accountIds)
          .where('name', 'in', [...names])
          .orderBy('id'),
      )

type Page = { accountId: string; limit: number; offset: number }

/** Oldest first: a snippet keeps its place. */
export const listSnippets = query('list-snippets', (k, p: Page) =>
  k
    .selectFrom('snippets')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .orderBy('id')
    .limit(p.limit)
    .offset(p.offset),
)

const count = query('count-snippets', (k, p: { accountId: string }) =>
  k
    .selectFrom('snippets')
    .select((at) => at.fn.countAll<number>().as('total'))
    .where('account_id', '=', p.accountId),
)

export const countSnippets = async (db: Db, accountId: string): Promise<number> =>
  (await db.get(count, { accountId }))?.total ?? 0

export const insertSnippet = query('insert-snippet', (k, p: SnippetsTable) =>
  k.insertInto('snippets').values({
    id: p.id,
    account_id: p.account_id,
    name: p.name,
    script: p.script,
    created_at: p.created_at,
    updated_at: p.updated_at,
    version: p.version,
  }),
)

export const updateSnippet = query('update-snippet', (k, p: SnippetsTable) =>
  k
    .updateTable('snippets')
    .set({ name: p.name, script: p.script, updated_at: p.updated_at, version: p.version })
    .where('id', '=', p.id)
    .where('account_id', '=', p.account_id),
)

export const deleteSnippet = query('delete-snippet', (k, p: OneSnippet) =>
  k.deleteFrom('snippets').where('id', '=', p.id).where('account_id', '=', p.accountId),
)
