/** All SQL about error groups. */

import { sql } from 'kysely'
import { type ListSource, readPage } from '../../platform/long-reads/read-slices.ts'
import { query } from '../../platform/store/database/query.ts'
import { rowStatement } from '../../platform/store/database/row-statement.ts'
import type { ErrorGroupsTable } from '../../platform/store/database/tables/analysis.ts'

type Events = {
  id: string
  accountId: string
  checkId: string
  ofTests: boolean
  project: string | null
  hash: string
  raw: string
  cleaned: string
  firstAt: number
  lastAt: number
  events: number
}

export const errorGroupsById = query('error-groups-by-id', (k, p: { ids: readonly string[] }, engine) =>
  k.selectFrom('error_groups').select('id').where('id', 'in', engine.textList(p.ids)),
)

/** Makes the group or joins it; what was archived until the next event is back. */
export const errorGroupRows = rowStatement({
  name: 'upsert-error-group',
  table: 'error_groups',
  valuesOf: (p: Events) => ({
    id: p.id,
    account_id: p.accountId,
    check_id: p.checkId,
    of_tests: p.ofTests,
    project: p.project,
    error_hash: p.hash,
    raw_error_message: p.raw,
    cleaned_error_message: p.cleaned,
    first_seen_at: p.firstAt,
    last_seen_at: p.lastAt,
    events: p.events,
    archived_until_next_event: false,
    archived_for_ever: false,
    archived_at: null,
  }),
  also: (insert) =>
    insert.onConflict((conflict) =>
      conflict.column('id').doUpdateSet((at) => ({
        // Results of several locations may arrive out of order, and those of an outage come the newest first.
        raw_error_message: at
          .case()
          .when('excluded.last_seen_at', '>=', at.ref('error_groups.last_seen_at'))
          .then(at.ref('excluded.raw_error_message'))
          .else(at.ref('error_groups.raw_error_message'))
          .end(),
        first_seen_at: at
          .case()
          .when('excluded.first_seen_at', '<', at.ref('error_groups.first_seen_at'))
          .then(at.ref('excluded.first_seen_at'))
          .else(at.ref('error_groups.first_seen_at'))
          .end(),
        last_seen_at: at
          .case()
          .when('excluded.last_seen_at', '>', at.ref('error_groups.last_seen_at'))
          .then(at.ref('excluded.last_seen_at'))
          .else(at.ref('error_groups.last_seen_at'))
          .end(),
        events: at('error_groups.events', '+', at.ref('excluded.events')),
        // What failed before somebody archived it is no next event, however late it arrives.
        archived_until_next_event: at
          .case()
          .when(
            'excluded.last_seen_at',
            '>',
            at.fn.coalesce('error_groups.archived_at', 'error_groups.last_seen_at'),
          )
          .then(sql<boolean>`0`)
          .else(at.ref('error_groups.archived_until_next_event'))
          .end(),
      })),
    ),
})

type OneGroup = { id: string; accountId: string; ofTests: boolean }

type Archive = OneGroup & {
  untilNextEvent: boolean | null
  forEver: boolean | null
  archivedAt: number | null
}

/** Null leaves a flag as it is; one statement, so that two clients never lose each other's change. */
export const archiveErrorGroup = query('archive-error-group', (k, p: Archive) =>
  k
    .updateTable('error_groups')
    .set((at) => ({
      archived_until_next_event: at.fn.coalesce(
        at.cast<boolean>(at.val(p.untilNextEvent), 'bigint'),
        'archived_until_next_event',
      ),
      archived_for_ever: at.fn.coalesce(at.cast<boolean>(at.val(p.forEver), 'bigint'), 'archived_for_ever'),
      archived_at: at.fn.coalesce(at.cast<number>(at.val(p.archivedAt), 'bigint'), 'archived_at'),
    }))
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .where('of_tests', '=', p.ofTests)
    .returningAll(),
)

export const deleteErrorGroupsOfCheck = query('delete-error-groups-of-check', (k, p: { checkId: string }) =>
  k.deleteFrom('error_groups').where('check_id', '=', p.checkId),
)

type GroupFilter = {
  accountId: string
  ofTests: boolean
  checkId?: string
  project?: string
  includeArchived: boolean
}

/** One page, last seen first, and how many there are in all. */
export const listErrorGroups = (
  source: ListSource,
  { accountId, ofTests, checkId, project, includeArchived }: GroupFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: ErrorGroupsTable[]; total: number }> =>
  readPage(
    source,
    {
      table: 'error_groups',
      index: checkId === undefined ? 'error_groups_account' : 'error_groups_check',
      owner: checkId === undefined ? ['account_id', accountId] : ['check_id', checkId],
      at: 'last_seen_at',
      direction: 'newest-first',
      lowestIdFirst: true,
      filter: (rows) => {
        const owned = checkId === undefined ? rows : rows.where('account_id', '=', accountId)
        const kind = owned.where('of_tests', '=', ofTests)
        const list = project === undefined ? kind : kind.where('project', '=', project)
        return includeArchived
          ? list
          : list.where('archived_until_next_event', '=', false).where('archived_for_ever', '=', false)
      },
    },
    page,
  )

export const projectsOfSessions = query(
  'projects-of-test-sessions',
  (k, p: { ids: readonly string[] }, engine) =>
    k
      .selectFrom('tested_checks as c')
      .innerJoin('test_sessions as t', 't.id', 'c.test_session_id')
      .select(['c.id', 't.project'])
      .where('c.id', 'in', engine.textList(p.ids)),
)

export const noteGroupOfCopy = query(
  'note-error-group-of-tested-check',
  (k, p: { id: string; errorGroupId: string }) =>
    k.updateTable('tested_checks').set({ error_group_id: p.errorGroupId }).where('id', '=', p.id),
)

export const environmentsOfGroups = query(
  'environments-of-error-groups',
  (k, p: { ids: readonly string[] }, engine) =>
    k
      .selectFrom('tested_checks as c')
      .innerJoin('test_sessions as t', 't.id', 'c.test_session_id')
      .select(['c.error_group_id', 't.environment'])
      .distinct()
      .where('c.error_group_id', 'in', engine.textList(p.ids))
      .where('t.environment', 'is not', null)
      .orderBy('t.environment'),
)
