/** Older analyses of a group end; its latest goes with the group, since a group is analysed by itself only once. */
import { sql } from 'kysely'
import { kindOfTable, type RetentionKind } from '../../platform/retention/retention-kind.ts'

export const analysesKind: RetentionKind = kindOfTable({
  name: 'analyses',
  table: 'root_cause_analyses',
  setting: 'analyses',
  at: 'completed_at',
  idsGrow: false,
  isOver: sql`(exists (select 1 from root_cause_analyses newer
    where newer.error_group_id = root_cause_analyses.error_group_id
      and newer.created_at > root_cause_analyses.created_at)
    or not exists (select 1 from error_groups of_it where of_it.id = root_cause_analyses.error_group_id))`,
})
