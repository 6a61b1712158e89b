import type { Db } from '../../platform/store/database/db.ts'
import type { ErrorGroupsTable } from '../../platform/store/database/tables/analysis.ts'
import { toIso } from '../../platform/words/shapes/instants.ts'
import { completedAnalyses } from '../root-cause-analyses/queries.ts'
import { serializeAnalysisOfGroup } from '../root-cause-analyses/serialize-analysis.ts'
import { environmentsOfGroups } from './queries.ts'
import type { ErrorGroup, TestErrorGroup } from './schema.ts'

/** Stored groups of one account as the API shows them, with their analyses. */
export const serializeErrorGroups = async (
  db: Db,
  accountId: string,
  rows: readonly ErrorGroupsTable[],
): Promise<ErrorGroup[]> => {
  if (rows.length === 0) return []
  const groupIds = rows.map(({ id }) => id)
  const analyses = await db.all(completedAnalyses, { accountId, groupIds })
  return rows.map((row) => ({
    id: row.id,
    checkId: row.check_id,
    errorHash: row.error_hash,
    rawErrorMessage: row.raw_error_message,
    cleanedErrorMessage: row.cleaned_error_message,
    firstSeen: toIso(row.first_seen_at),
    lastSeen: toIso(row.last_seen_at),
    archivedUntilNextEvent: row.archived_until_next_event,
    archiveForEver: row.archived_for_ever,
    rootCauseAnalyses: analyses
      .filter(({ error_group_id }) => error_group_id === row.id)
      .map(serializeAnalysisOfGroup),
  }))
}

/** Those of tests, with where they were seen. */
export const serializeTestErrorGroups = async (
  db: Db,
  accountId: string,
  rows: readonly ErrorGroupsTable[],
): Promise<TestErrorGroup[]> => {
  if (rows.length === 0) return []
  const seen = await db.all(environmentsOfGroups, { ids: rows.map(({ id }) => id) })
  const projects = new Map(rows.map(({ id, project }) => [id, project]))
  return (await serializeErrorGroups(db, accountId, rows)).map((group) => ({
    ...group,
    projectId: projects.get(group.id) ?? '',
    environments: seen.flatMap(({ error_group_id, environment }) =>
      error_group_id === group.id && environment !== null ? [environment] : [],
    ),
    pwtMetadata: [],
  }))
}
