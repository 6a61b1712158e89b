/** All SQL about snippets. */

import type { Db } from '../../platform/store/database/db.ts'
import { documentQueries } from '../../platform/store/database/document-queries.ts'

export const {
  find: findSnippet,
  lock: lockSnippet,
  page: listSnippets,
  count: countSnippets,
  insert: insertSnippet,
  update: updateSnippet,
  remove: deleteSnippet,
} = documentQueries('snippets', {
  name: 'snippet',
  key: 'id',
  columns: {
    name: 'changes',
    script: 'changes',
    created_at: 'stays',
    updated_at: 'changes',
    version: 'changes',
  },
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
