/** All SQL about status pages, their addresses and keys; that of their cards is in card-queries.ts. */

import type { Db } from '../../platform/database/db.ts'
import { query } from '../../platform/database/query.ts'
import type { StatusPageKeysTable, StatusPagesTable } from '../../platform/database/tables/status-pages.ts'
import type { Place } from '../../platform/shapes/created-cursor.ts'

type OnePage = { id: string; accountId: string }

export const findPage = query('find-status-page', (k, p: OnePage) =>
  k.selectFrom('status_pages').selectAll().where('id', '=', p.id).where('account_id', '=', p.accountId),
)

/** For a change that builds on what is there: nobody else changes the page or its cards meanwhile. */
export const lockPage = query('lock-status-page', (k, p: OnePage, engine) => {
  const one = k
    .selectFrom('status_pages')
    .selectAll()
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
  return engine.rowLocks ? one.forUpdate() : one
})

/** Those of the ids that the account has; none of them changes until the transaction ends. */
export const sharePages = query(
  'share-status-pages',
  (k, p: { accountId: string; ids: readonly string[] }, engine) => {
    const found = k
      .selectFrom('status_pages')
      .select('id')
      .where('account_id', '=', p.accountId)
      .where('id', 'in', engine.textList(p.ids))
      .orderBy('id')
    return engine.rowLocks ? found.forShare() : found
  },
)

export const insertPage = query('insert-status-page', (k, p: StatusPagesTable) =>
  k.insertInto('status_pages').values({
    id: p.id,
    account_id: p.account_id,
    url: p.url,
    custom_domain: p.custom_domain,
    created_at: p.created_at,
    updated_at: p.updated_at,
    version: p.version,
    doc: p.doc,
  }),
)

export const updatePage = query('update-status-page', (k, p: StatusPagesTable) =>
  k
    .updateTable('status_pages')
    .set({
      url: p.url,
      custom_domain: p.custom_domain,
      updated_at: p.updated_at,
      version: p.version,
      doc: p.doc,
    })
    .where('id', '=', p.id)
    .where('account_id', '=', p.account_id),
)

export const deletePage = query('delete-status-page', (k, p: OnePage) =>
  k.deleteFrom('status_pages').where('id', '=', p.id).where('account_id', '=', p.accountId),
)

/** Oldest first. */
export const listPages = (
  db: Db,
  accountId: string,
  { after, limit }: { after: Place | undefined; limit: number },
): Promise<StatusPagesTable[]> =>
  db.select((k) => {
    let list = k.selectFrom('status_pages').selectAll().where('account_id', '=', accountId)
    if (after !== undefined)
      list = list.where((at) => at(at.refTuple('created_at', 'id'), '>', at.tuple(after.createdAt, after.id)))
    return list.orderBy('created_at').orderBy('id').limit(limit)
  })

type Name = { kind: 'URL' | 'DOMAIN'; name: string }

/** Changes nothing when the name is taken. */
export const claimName = query('claim-status-page-name', (k, p: Name & { pageId: string }) =>
  k
    .insertInto('status_page_names')
    .values({ kind: p.kind, name: p.name, status_page_id: p.pageId })
    .onConflict((conflict) => conflict.columns(['kind', 'name']).doNothing()),
)

export const freeName = query('free-status-page-name', (k, p: Name) =>
  k.deleteFrom('status_page_names').where('kind', '=', p.kind).where('name', '=', p.name),
)

export const freeNamesOfPage = query('free-names-of-status-page', (k, p: { pageId: string }) =>
  k.deleteFrom('status_page_names').where('status_page_id', '=', p.pageId),
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
