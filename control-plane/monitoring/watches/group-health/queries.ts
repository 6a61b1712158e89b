/** All SQL about what groups are judged by. */
import { sql } from 'kysely'
import { query } from '../../../platform/store/database/query.ts'

type OfGroup = { accountId: string; groupId: number }

/** Its active checks: what people were told of each, and what keeps more from being told. Documents are taken apart only if they may say so. */
export const activeMembers = query('active-members-of-group', (k, p: OfGroup, engine) =>
  k
    .selectFrom('checks as c')
    .leftJoin('alert_states as a', 'a.check_id', 'c.id')
    .leftJoin('check_statuses as s', 's.check_id', 'c.id')
    .select(['c.id', 's.state', 's.stale_since'])
    .select((at) => [
      engine.jsonPart(at.ref('a.doc'), 'state.told').as('told'),
      engine.jsonPart(at.ref('a.doc'), 'heldBack.on').as('held_by'),
      sql<string | null>`case when c.doc like ${sql.lit('%"muted":true%')}
        then cast(${engine.jsonPart(sql.ref('c.doc'), 'muted')} as text) else null end`.as('muted'),
    ])
    .where('c.account_id', '=', p.accountId)
    .where('c.group_id', '=', p.groupId)
    .where('c.activated', '=', true),
)

export const tagsOfMembers = query('tags-of-members-of-group', (k, p: OfGroup) =>
  k
    .selectFrom('checks as c')
    .innerJoin('check_tags as t', 't.check_id', 'c.id')
    .select(['t.check_id', 't.tag'])
    .where('c.account_id', '=', p.accountId)
    .where('c.group_id', '=', p.groupId),
)
