/** All SQL about whom the failures of an account would reach. */
import { sql } from 'kysely'
import { query } from '../../platform/store/database/query.ts'

/** Documents are taken apart only if they say something else than most. */
export const checksToTell = query('checks-to-tell', (k, p: { accountId: string }, engine) =>
  k
    .selectFrom('checks as c')
    .select(['c.id', 'c.name', 'c.group_id', 'c.activated'])
    .select([
      sql<string | null>`case when c.doc like ${sql.lit('%"muted":true%')}
        then cast(${engine.jsonPart(sql.ref('c.doc'), 'muted')} as text) else null end`.as('muted'),
      sql<
        string | null
      >`case when c.doc like ${sql.lit('%"severity":"LOW"%')} or c.doc like ${sql.lit('%"severity":"CRITICAL"%')}
        then ${engine.jsonPart(sql.ref('c.doc'), 'severity')} else null end`.as('severity'),
    ])
    .where('c.account_id', '=', p.accountId)
    .orderBy('c.created_at')
    .orderBy('c.id'),
)

export const subscriptionsOfAccount = query('subscriptions-of-account', (k, p: { accountId: string }) =>
  k
    .selectFrom('channel_subscriptions')
    .select(['subject', 'channel_id', 'activated'])
    .where('account_id', '=', p.accountId),
)

export const tagsOfAccount = query('tags-of-account', (k, p: { accountId: string }) =>
  k.selectFrom('check_tags').select(['check_id', 'tag']).where('account_id', '=', p.accountId),
)

export const levelsOfChecks = query('levels-of-checks', (k, p: { ids: readonly string[] }, engine) =>
  k.selectFrom('alert_states').select(['check_id', 'level']).where('check_id', 'in', engine.textList(p.ids)),
)
