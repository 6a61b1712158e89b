/** Things of an account by their names, for forms that choose among them: a few of ten thousand, those that match first. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/store/database/db.ts'
import { containing } from '../../../platform/store/database/engines.ts'
import { query } from '../../../platform/store/database/query.ts'

type Named = { value: string | number; label: string }

/** What is looked for: a part of the name, empty for the first ones. `ids`: those that are chosen, whatever they are called. */
export type Sought = { accountId: string; search: string; ids: readonly string[]; limit: number }

type NamedThing = { account_id: string; name: string; id: string | number; slug: string }

type Source = { table: string; value?: 'id' | 'slug' }

/** Two queries: those that match, one more than asked for, and those that are chosen. */
const namesIn = ({ table, value = 'id' }: Source) => {
  const things = sql<NamedThing>`${sql.table(table)}`.as('t')
  const matching = query(
    `choices-of-${table.replaceAll('_', '-')}`,
    (k, p: { accountId: string; pattern: string; limit: number }, engine) =>
      k
        .selectFrom(things)
        .select([`t.${value} as value`, 't.name as label'])
        .where('t.account_id', '=', p.accountId)
        .where((at) => engine.containsText(at.ref('t.name'), p.pattern))
        .orderBy(sql`lower(t.name)`)
        .orderBy(`t.${value}`)
        .limit(p.limit),
  )
  const chosen = query(
    `chosen-of-${table.replaceAll('_', '-')}`,
    (k, p: { accountId: string; ids: readonly string[] }, engine) =>
      k
        .selectFrom(things)
        .select([`t.${value} as value`, 't.name as label'])
        .where('t.account_id', '=', p.accountId)
        .where(sql`cast(${sql.ref(`t.${value}`)} as text)`, 'in', engine.textList(p.ids))
        .orderBy(sql`lower(t.name)`),
  )
  return async (db: Db, { accountId, search, ids, limit }: Sought): Promise<FoundNames> => ({
    matching: await db.all(matching, { accountId, pattern: containing(search), limit: limit + 1 }),
    chosen: ids.length === 0 ? [] : await db.all(chosen, { accountId, ids }),
  })
}

export type FoundNames = { matching: Named[]; chosen: Named[] }

export const checkNames = namesIn({ table: 'checks' })
export const groupNames = namesIn({ table: 'check_groups' })
export const locationNames = namesIn({ table: 'private_locations', value: 'slug' })
export const serviceNames = namesIn({ table: 'status_page_services' })
export const snippetNames = namesIn({ table: 'snippets' })

/** Known by what their settings say, which the store has without its secrets. */
const channelsMatching = query(
  'choices-of-channels',
  (k, p: { accountId: string; pattern: string; limit: number }, engine) =>
    k
      .selectFrom('alert_channels as t')
      .select(['t.id', 't.type', 't.doc'])
      .where('t.account_id', '=', p.accountId)
      .where((at) =>
        at.or([
          engine.containsText(engine.jsonPart(at.ref('t.doc'), 'config'), p.pattern),
          engine.containsText(at.ref('t.type'), p.pattern),
        ]),
      )
      .orderBy('t.id')
      .limit(p.limit),
)

const channelsChosen = query(
  'chosen-of-channels',
  (k, p: { accountId: string; ids: readonly string[] }, engine) =>
    k
      .selectFrom('alert_channels as t')
      .select(['t.id', 't.type', 't.doc'])
      .where('t.account_id', '=', p.accountId)
      .where(sql`cast(t.id as text)`, 'in', engine.textList(p.ids))
      .orderBy('t.id'),
)

type ChannelRow = { id: number; type: string; doc: string }

export const channelRows = async (
  db: Db,
  { accountId, search, ids, limit }: Sought,
): Promise<{ matching: ChannelRow[]; chosen: ChannelRow[] }> => {
  // As it stands in a document: a text that JSON has to escape is escaped there, too.
  const pattern = containing(JSON.stringify(search).slice(1, -1))
  return {
    matching: await db.all(channelsMatching, { accountId, pattern, limit: limit + 1 }),
    chosen: ids.length === 0 ? [] : await db.all(channelsChosen, { accountId, ids }),
  }
}

/** The newest first; by their content. */
const bundlesMatching = query(
  'choices-of-bundles',
  (k, p: { accountId: string; pattern: string; limit: number }, engine) =>
    k
      .selectFrom('code_bundles')
      .select(['id', 'sha256', 'files', 'created_at'])
      .where('account_id', '=', p.accountId)
      .where('completed_at', 'is not', null)
      .where((at) => engine.containsText(at.ref('sha256'), p.pattern))
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(p.limit),
)

const bundlesChosen = query(
  'chosen-of-bundles',
  (k, p: { accountId: string; ids: readonly string[] }, engine) =>
    k
      .selectFrom('code_bundles')
      .select(['id', 'sha256', 'files', 'created_at'])
      .where('account_id', '=', p.accountId)
      .where('id', 'in', engine.textList(p.ids)),
)

export const bundleRows = async (db: Db, { accountId, search, ids, limit }: Sought) => ({
  matching: await db.all(bundlesMatching, { accountId, pattern: containing(search), limit: limit + 1 }),
  chosen: ids.length === 0 ? [] : await db.all(bundlesChosen, { accountId, ids }),
})

/** Of checks and groups, the most used first. */
export const tagsMatching = query(
  'choices-of-tags',
  (k, p: { accountId: string; pattern: string; limit: number }, engine) =>
    k
      .selectFrom(
        k
          .selectFrom('check_tags')
          .select('tag')
          .where('account_id', '=', p.accountId)
          .unionAll(k.selectFrom('check_group_tags').select('tag').where('account_id', '=', p.accountId))
          .as('t'),
      )
      .select(['t.tag', (at) => at.fn.countAll<number>().as('total')])
      .where((at) => engine.containsText(at.ref('t.tag'), p.pattern))
      .groupBy('t.tag')
      .orderBy('total', 'desc')
      .orderBy('t.tag')
      .limit(p.limit),
)
