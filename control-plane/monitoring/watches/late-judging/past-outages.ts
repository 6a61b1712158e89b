import { query } from '../../../platform/store/database/query.ts'
import { rowStatement } from '../../../platform/store/database/row-statement.ts'

type NewPastOutage = {
  id: string
  accountId: string
  checkId: string
  name: string
  level: string
  from: number
  to: number
}

/** Until they are told in a digest. */
export const pastOutageRows = rowStatement({
  name: 'insert-past-outage',
  table: 'past_outages',
  valuesOf: (p: NewPastOutage) => ({
    id: p.id,
    account_id: p.accountId,
    check_id: p.checkId,
    name: p.name,
    level: p.level,
    from_at: p.from,
    to_at: p.to,
  }),
})

/** Accounts that have some, and no check that waits to be judged. */
export const accountsWithPastOutages = query('accounts-with-past-outages', (k, _: Record<string, never>) =>
  k
    .selectFrom('past_outages as p')
    .select('p.account_id')
    .distinct()
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('deferred_judgements as d')
            .select('d.check_id')
            .whereRef('d.account_id', '=', 'p.account_id'),
        ),
      ),
    )
    .limit(100),
)

/** All of an account: whoever takes them tells of them. */
export const takePastOutages = query('take-past-outages', (k, p: { accountId: string }) =>
  k.deleteFrom('past_outages').where('account_id', '=', p.accountId).returningAll(),
)
