import type { Db } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'
import type { CodeBundlesTable } from '../../../platform/store/database/tables/code-bundles.ts'

type OneBundle = { id: string; accountId: string }
type Content = { accountId: string; sha256: string }

export const insertBundle = query('insert-code-bundle', (k, p: CodeBundlesTable) =>
  k.insertInto('code_bundles').values({
    id: p.id,
    account_id: p.account_id,
    sha256: p.sha256,
    size: p.size,
    files: p.files,
    unpacked_size: p.unpacked_size,
    created_at: p.created_at,
    completed_at: p.completed_at,
    used_at: p.used_at,
  }),
)

/** Bundles that are being received or removed belong to no check. */
export const findBundle = query('find-code-bundle', (k, p: OneBundle) =>
  k
    .selectFrom('code_bundles')
    .selectAll()
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .where('completed_at', 'is not', null),
)

/** The one with this content, which counts as used now. */
export const touchContent = query('touch-code-bundle-content', (k, p: Content & { now: number }) =>
  k
    .updateTable('code_bundles')
    .set({ used_at: p.now })
    .where('account_id', '=', p.accountId)
    .where('sha256', '=', p.sha256)
    .where('completed_at', 'is not', null)
    .returningAll(),
)

/** The same by its id: it stays until the transaction ends, and is not swept for long after. */
export const touchBundle = query('touch-code-bundle', (k, p: OneBundle & { now: number }) =>
  k
    .updateTable('code_bundles')
    .set({ used_at: p.now })
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .where('completed_at', 'is not', null)
    .returning('id'),
)

/** How many the account has, and how many of them it is uploading. */
export const countBundles = query('count-code-bundles', (k, p: { accountId: string }) =>
  k
    .selectFrom('code_bundles')
    .select((of) => [of.fn.countAll<number>().as('all'), of.fn.count<number>('completed_at').as('complete')])
    .where('account_id', '=', p.accountId),
)

type Completion = { id: string; sha256: string; files: number; unpackedSize: number; now: number }

export const completeBundle = query('complete-code-bundle', (k, p: Completion) =>
  k
    .updateTable('code_bundles')
    .set({
      sha256: p.sha256,
      completed_at: p.now,
      used_at: p.now,
      files: p.files,
      unpacked_size: p.unpackedSize,
    })
    .where('id', '=', p.id)
    .returningAll(),
)

export const deleteBundle = query('delete-code-bundle', (k, p: { id: string }) =>
  k
    .deleteFrom('code_bundles')
    .where('id', '=', p.id)
    .where('completed_at', 'is', null)
    .returning(['account_id', 'size']),
)

type Filter = { accountId: string; sha256?: string | undefined }

const filtered =
  ({ accountId, sha256 }: Filter) =>
  (k: Parameters<Parameters<Db['select']>[0]>[0]) => {
    const own = k
      .selectFrom('code_bundles')
      .where('account_id', '=', accountId)
      .where('completed_at', 'is not', null)
    return sha256 === undefined ? own : own.where('sha256', '=', sha256)
  }

/** Oldest first. */
export const listBundles = (
  db: Db,
  filter: Filter,
  { limit, offset }: { limit: number; offset: number },
): Promise<CodeBundlesTable[]> =>
  db.select((k) =>
    filtered(filter)(k).selectAll().orderBy('created_at').orderBy('id').limit(limit).offset(offset),
  )

export const countShownBundles = async (db: Db, filter: Filter): Promise<number> => {
  const [row] = await db.select((k) =>
    filtered(filter)(k).select((of) => of.fn.countAll<number>().as('number')),
  )
  return Number(row?.number ?? 0)
}

export const checksOfBundle = query('checks-of-code-bundle', (k, p: { bundleId: string }) =>
  k.selectFrom('check_bundles').select('check_id').where('bundle_id', '=', p.bundleId).orderBy('check_id'),
)

/** The next sweep takes it, if no check runs it then. */
export const expireBundle = query('expire-code-bundle', (k, p: { id: string }) =>
  k.updateTable('code_bundles').set({ used_at: 0 }).where('id', '=', p.id),
)

/** Nobody may use it from now on; its bytes go next. 0: somebody has taken it up. */
export const retireBundle = query('retire-code-bundle', (k, p: { id: string; unusedSince: number }) =>
  k
    .updateTable('code_bundles')
    .set({ completed_at: null, used_at: 0 })
    .where('id', '=', p.id)
    .where('completed_at', 'is not', null)
    .where('used_at', '<=', p.unusedSince)
    .where((of) =>
      of.not(
        of.exists(
          of
            .selectFrom('check_bundles as c')
            .select('c.check_id')
            .whereRef('c.bundle_id', '=', 'code_bundles.id'),
        ),
      ),
    ),
)

type Sweep = { unusedSince: number; limit: number }

export const unusedBundles = query('unused-code-bundles', (k, p: Sweep) =>
  k
    .selectFrom('code_bundles as b')
    .select('b.id')
    .where('b.used_at', '<=', p.unusedSince)
    .where('b.completed_at', 'is not', null)
    .where((of) =>
      of.not(
        of.exists(
          of.selectFrom('check_bundles as c').select('c.check_id').whereRef('c.bundle_id', '=', 'b.id'),
        ),
      ),
    )
    .orderBy('b.used_at')
    .limit(p.limit),
)

/** What nobody receives any more, and what nobody may use. */
export const leftBundles = query('left-code-bundles', (k, p: Sweep) =>
  k
    .selectFrom('code_bundles')
    .select('id')
    .where('used_at', '<=', p.unusedSince)
    .where('completed_at', 'is', null)
    .orderBy('used_at')
    .limit(p.limit),
)
