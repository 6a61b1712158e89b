import { kindOfTable, type RetentionKind } from '../../../platform/retention/retention-kind.ts'

/** By the last due time of a range, so that none of its due times ends early. */
export const missedRunsKind: RetentionKind = kindOfTable({
  name: 'missed-runs',
  table: 'missed_runs',
  setting: 'missedRuns',
  makesRoom: true,
  at: 'last_due_at',
  idsGrow: true,
})
