import type { Db } from '../platform/store/database/db.ts'
import { query } from '../platform/store/database/query.ts'
import type { Tables } from '../platform/store/database/tables.ts'

export const accountsWithCounts = query('accounts-with-counts', (k, _: Record<string, never>) =>
  k
    .selectFrom('accounts')
    .select((at) => [
      'id',
      'name',
      'created_at',
      at
        .selectFrom('memberships')
        .select((counting) => counting.fn.countAll<number>().as('total'))
        .whereRef('memberships.account_id', '=', 'accounts.id')
        .$asScalar()
        .$notNull()
        .as('members'),
      at
        .selectFrom('checks')
        .select((counting) => counting.fn.countAll<number>().as('total'))
        .whereRef('checks.account_id', '=', 'accounts.id')
        .$asScalar()
        .$notNull()
        .as('checks'),
    ])
    .orderBy('created_at')
    .orderBy('id'),
)

export const accountsWithLocation = query('accounts-with-location', (k, p: { slug: string }) =>
  k.selectFrom('private_locations').select(['id', 'account_id']).where('slug', '=', p.slug),
)

export const countRows = async (db: Db, table: keyof Tables): Promise<number> => {
  const [row] = await db.select((k) =>
    k.selectFrom(table).select((at) => at.fn.countAll<number>().as('total')),
  )
  return row?.total ?? 0
}
