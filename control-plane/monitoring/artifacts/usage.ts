/**
 * What the files of an account and of a location take together, announced ones included: their bytes are theirs until they
 * are gone. The rows are held before they are read, so that what is announced at the same time finds what is left.
 */
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import type { ArtifactsTable } from '../../platform/store/database/tables/artifacts.ts'

type Owners = Pick<ArtifactsTable, 'account_id' | 'location'>
export type ArtifactUsage = { account: number; location: number }

/** In the order in which all transactions hold them. */
const ownersOf = ({ account_id, location }: Owners) => ({
  account: `account ${account_id}`,
  location: `location ${location}`,
})

const beginUsage = query('begin-artifact-usage', (k, p: { owner: string }) =>
  k
    .insertInto('artifact_usage')
    .values({ owner: p.owner, bytes: 0 })
    .onConflict((conflict) => conflict.doNothing()),
)

const holdUsage = query('hold-artifact-usage', (k, p: { owner: string }, engine) => {
  const one = k.selectFrom('artifact_usage').select('bytes').where('owner', '=', p.owner)
  return engine.rowLocks ? one.forUpdate() : one
})

const changeUsage = query('change-artifact-usage', (k, p: { owner: string; bytes: number }) =>
  k
    .updateTable('artifact_usage')
    .set((set) => ({ bytes: set('bytes', '+', p.bytes) }))
    .where('owner', '=', p.owner),
)

/** Of jobs at work, and of those whose runs were recorded as missed. */
const ownersOfJobs = query('artifact-owners-of-jobs', (k, p: { ids: readonly string[] }, engine) =>
  k
    .selectFrom('jobs')
    .select(['account_id', 'location'])
    .where('id', 'in', engine.textList(p.ids))
    .union(
      k
        .selectFrom('missed_runs as m')
        .leftJoin('private_locations as l', (on) =>
          on.onRef('l.account_id', '=', 'm.account_id').onRef('l.slug', '=', 'm.location'),
        )
        .select((at) => ['m.account_id', at.fn.coalesce('l.id', 'm.location').as('location')])
        .where('m.id', 'in', engine.textList(p.ids)),
    ),
)

/** What a transaction that stores results does before it holds anything that others of the same account may want. */
export const holdUsageOfJobs = async (trx: Db, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  const found = (await trx.all(ownersOfJobs, { ids })).map(ownersOf)
  const owners = new Set(found.flatMap(({ account, location }) => [account, location]))
  for (const owner of [...owners].sort()) {
    await trx.run(beginUsage, { owner })
    await trx.get(holdUsage, { owner })
  }
}

/** Of owners that this transaction holds. */
export const usageOf = async (trx: Db, owners: Owners): Promise<ArtifactUsage> => {
  const { account, location } = ownersOf(owners)
  return {
    account: (await trx.get(holdUsage, { owner: account }))?.bytes ?? 0,
    location: (await trx.get(holdUsage, { owner: location }))?.bytes ?? 0,
  }
}

export const addUsage = async (trx: Db, owners: Owners, bytes: number): Promise<void> => {
  const { account, location } = ownersOf(owners)
  for (const owner of [account, location]) await trx.run(changeUsage, { owner, bytes })
}

/** Of what has no location: what the account has in all, held from here on. */
export const holdUsageOfAccount = async (trx: Db, accountId: string): Promise<number> => {
  const owner = `account ${accountId}`
  await trx.run(beginUsage, { owner })
  return (await trx.get(holdUsage, { owner }))?.bytes ?? 0
}

export const addUsageOfAccount = async (trx: Db, accountId: string, bytes: number): Promise<void> => {
  await trx.run(changeUsage, { owner: `account ${accountId}`, bytes })
}
