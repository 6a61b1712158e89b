/** Which bundle a check runs. It is kept for as long as a check does. */
import type { Violation } from '../../../../protocol/validate.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'
import { violation } from '../../../platform/words/errors.ts'
import { expireBundle, touchBundle } from './queries.ts'

type OfCheck = { checkId: string }

const findBundleOfCheck = query('find-bundle-of-check', (k, p: OfCheck) =>
  k.selectFrom('check_bundles').select('bundle_id').where('check_id', '=', p.checkId),
)

const setBundleOfCheck = query(
  'set-bundle-of-check',
  (k, p: OfCheck & { accountId: string; bundleId: string }) =>
    k
      .insertInto('check_bundles')
      .values({ check_id: p.checkId, account_id: p.accountId, bundle_id: p.bundleId })
      .onConflict((conflict) => conflict.column('check_id').doUpdateSet({ bundle_id: p.bundleId })),
)

const deleteBundleOfCheck = query('delete-bundle-of-check', (k, p: OfCheck) =>
  k.deleteFrom('check_bundles').where('check_id', '=', p.checkId).returning(['account_id', 'bundle_id']),
)

type Mention = { accountId: string; field: string; id: string | null; now: number }

/** A bundle that is there stays, until the transaction that writes the check ends. */
export const bundleViolations = async (
  trx: Db,
  { accountId, field, id, now }: Mention,
): Promise<Violation[]> =>
  id === null || (await trx.get(touchBundle, { id, accountId, now })) !== undefined
    ? []
    : [violation(field, 'exists', `names a code bundle that does not exist: ${id}`)]

type Choice = OfCheck & { accountId: string; bundleId: string | null; now: number }

/** In the transaction that writes the check, which holds the new bundle. The one before counts as used until now. */
export const chooseBundle = async (trx: Db, { checkId, accountId, bundleId, now }: Choice): Promise<void> => {
  const before = (await trx.get(findBundleOfCheck, { checkId }))?.bundle_id ?? null
  if (before === bundleId) return
  if (bundleId === null) await trx.run(deleteBundleOfCheck, { checkId })
  else await trx.run(setBundleOfCheck, { checkId, accountId, bundleId })
  if (before !== null) await trx.run(touchBundle, { id: before, accountId, now })
}

/** In the transaction that deletes the check: its bundle goes with the next sweep, unless another check runs it. */
export const dropBundle = async (trx: Db, checkId: string): Promise<void> => {
  const dropped = await trx.get(deleteBundleOfCheck, { checkId })
  if (dropped === undefined) return
  await trx.run(expireBundle, { id: dropped.bundle_id })
}

/** As jobs name it. */
export type BundleOfJob = { id: string; sha256: string; bytes: number }
