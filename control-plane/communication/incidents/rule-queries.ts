/** All SQL about the rules by which incidents are opened on pages. */
import { documentQueries } from '../../platform/store/database/document-queries.ts'
import { query } from '../../platform/store/database/query.ts'

export const {
  find: findRule,
  lock: lockRule,
  insert: insertRule,
  update: updateRule,
  remove: deleteRule,
  count: countRules,
} = documentQueries('status_page_rules', {
  name: 'status-page-rule',
  key: 'id',
  columns: {
    ...{ status_page_id: 'stays', incident_id: 'changes', created_at: 'stays', updated_at: 'changes' },
    doc: 'changes',
  },
})

/** Newest first. */
export const rulesOfPage = query('rules-of-page', (k, p: { pageId: string; accountId: string }) =>
  k
    .selectFrom('status_page_rules')
    .selectAll()
    .where('status_page_id', '=', p.pageId)
    .where('account_id', '=', p.accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc'),
)

/** By id: the order in which they are locked. */
export const rulesOfAccounts = query('rules-of-accounts', (k, p: { accountIds: readonly string[] }, engine) =>
  k
    .selectFrom('status_page_rules')
    .select(['id', 'account_id', 'doc'])
    .where('account_id', 'in', engine.textList(p.accountIds))
    .orderBy('id'),
)

export const deleteRulesOfPage = query('delete-rules-of-page', (k, p: { pageId: string }) =>
  k.deleteFrom('status_page_rules').where('status_page_id', '=', p.pageId),
)
