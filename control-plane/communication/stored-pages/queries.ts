/** All SQL about status pages, their addresses and keys; that of their cards is in card-queries.ts. */

import { documentQueries } from '../../platform/store/database/document-queries.ts'
import { query } from '../../platform/store/database/query.ts'
import type { StatusPageKeysTable } from '../../platform/store/database/tables/status-pages.ts'

/** Whoever locks a page holds its cards, too. */
export const {
  find: findPage,
  lock: lockPage,
  shareSome: sharePages,
  after: listPages,
  insert: insertPage,
  update: updatePage,
  remove: deletePage,
} = documentQueries('status_pages', {
  name: 'status-page',
  key: 'id',
  columns: {
    url: 'changes',
    custom_domain: 'changes',
    created_at: 'stays',
    updated_at: 'changes',
    version: 'changes',
    doc: 'changes',
  },
  search: { columns: ['url', 'custom_domain'], paths: ['name'] },
})

type Name = { kind: 'URL' | 'DASHBOARD' | 'DOMAIN'; name: string }

/** Changes nothing when the name is taken. */
export const claimName = query('claim-page-name', (k, p: Name & { pageId: string }) =>
  k
    .insertInto('page_names')
    .values({ kind: p.kind, name: p.name, page_id: p.pageId })
    .onConflict((conflict) => conflict.columns(['kind', 'name']).doNothing()),
)

export const freeName = query('free-page-name', (k, p: Name) =>
  k.deleteFrom('page_names').where('kind', '=', p.kind).where('name', '=', p.name),
)

export const freeNamesOfPage = query('free-names-of-page', (k, p: { pageId: string }) =>
  k.deleteFrom('page_names').where('page_id', '=', p.pageId),
)

export const insertPageKey = query('insert-status-page-key', (k, p: StatusPageKeysTable) =>
  k.insertInto('status_page_keys').values({
    id: p.id,
    account_id: p.account_id,
    status_page_id: p.status_page_id,
    hash: p.hash,
    masked: p.masked,
    created_at: p.created_at,
  }),
)

export const deleteKeysOfPage = query('delete-status-page-keys', (k, p: { pageId: string }) =>
  k.deleteFrom('status_page_keys').where('status_page_id', '=', p.pageId),
)

/** Without the hashes. */
export const keysOfPages = query('keys-of-status-pages', (k, p: { pageIds: readonly string[] }, engine) =>
  k
    .selectFrom('status_page_keys')
    .select(['id', 'status_page_id', 'masked', 'created_at'])
    .where('status_page_id', 'in', engine.textList(p.pageIds)),
)
