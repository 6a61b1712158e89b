import type { CheckType } from '../../../protocol/check-type.ts'
import { checkDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import { hostOfCheck } from '../../monitoring/definitions/checks/check-target.ts'
import { findCheck } from '../../monitoring/definitions/checks/queries.ts'
import { kindOf } from '../../monitoring/definitions/checks/types/index.ts'
import { assertionsIn, ownDetail } from '../../monitoring/results/own-detail.ts'
import { type ResultDoc, resultDoc } from '../../monitoring/results/result-doc.ts'
import type { ResultWithDoc } from '../../monitoring/results/stored/result.ts'
import type { App } from '../../platform/app/app.ts'
import type {
  ErrorGroupsTable,
  RootCauseAnalysesTable,
} from '../../platform/store/database/tables/analysis.ts'
import type { ChecksTable } from '../../platform/store/database/tables/runs.ts'
import type { Facts, FailedRunFacts } from './facts.ts'
import { historyOf } from './history.ts'
import { failedResults, recentRuns } from './history-queries.ts'
import { neighboursOf } from './neighbours.ts'
import { findErrorGroup } from './queries.ts'

/** How much is read for one analysis: bounds of its cost. */
const maxFailedResults = 50
export const maxRuns = 500

/** `resultId`: the run that they are about, or null where only its group is left of it. */
type GatheredFacts = { facts: Facts; resultId: string | null }

/** Null when the check or the group is gone. */
export const gatherFacts = async (app: App, row: RootCauseAnalysesTable): Promise<GatheredFacts | null> => {
  const of = { checkId: row.check_id, accountId: row.account_id }
  const group = await app.db.get(findErrorGroup, { id: row.error_group_id, accountId: row.account_id })
  const check = await app.db.get(findCheck, { id: row.check_id, accountId: row.account_id })
  if (group === undefined || check === undefined) return null
  const failures = await failedResults(app.db, {
    ...of,
    until: group.last_seen_at,
    limit: maxFailedResults,
  })
  const { run, resultId } = latestOf(group, failures, check.type)
  const facts: Facts = {
    now: app.clock.now(),
    userContext: row.user_context,
    check: checkFacts(check),
    group: {
      message: group.raw_error_message ?? group.cleaned_error_message,
      firstSeenAt: group.first_seen_at,
      lastSeenAt: group.last_seen_at,
      events: group.events,
    },
    run,
    history: historyOf(await recentRuns(app.db, { ...of, limit: maxRuns }), run.startedAt),
    neighbours: await neighboursOf(app, of, run.startedAt),
  }
  return { facts, resultId }
}

/** What the facts say of a check. */
export type CheckColumns = Pick<ChecksTable, 'type' | 'doc' | 'updated_at'>

export const checkFacts = ({ type, doc, updated_at }: CheckColumns): Facts['check'] => {
  const { name, maxResponseTime, request } = checkDoc.read(doc)
  return {
    name,
    type: type as CheckType,
    host: hostOfCheck(type, request),
    maxResponseTime: maxResponseTime ?? null,
    updatedAt: updated_at,
  }
}

type FailedResult = Pick<
  ResultWithDoc,
  'id' | 'started_at' | 'location' | 'response_time' | 'has_errors' | 'over_max' | 'doc'
>

/** The latest stored run of the group; when retention has taken all of them, what the group itself remembers. */
const latestOf = (
  group: ErrorGroupsTable,
  failures: readonly FailedResult[],
  type: string,
): { run: FailedRunFacts; resultId: string | null } => {
  for (const row of failures) {
    const doc = resultDoc.read(row.doc)
    if (doc.errorGroupIds.includes(group.id)) return { run: runFacts(row, doc, type), resultId: row.id }
  }
  const run = {
    startedAt: group.last_seen_at,
    location: 'an unknown location',
    responseTime: 0,
    hasErrors: false,
    overMax: false,
    failure: {
      code: 'UNKNOWN',
      message: group.raw_error_message ?? group.cleaned_error_message,
      network: false,
    },
    couldNotRun: null,
    assertions: [],
    metrics: {},
    http: null,
    log: [],
  }
  return { run, resultId: null }
}

export const runFacts = (row: FailedResult, doc: ResultDoc, type: string): FailedRunFacts => {
  const detail = ownDetail(type, doc)
  return {
    startedAt: row.started_at,
    location: row.location,
    responseTime: row.response_time,
    hasErrors: row.has_errors,
    overMax: row.over_max,
    failure: doc.failure ?? null,
    couldNotRun: row.has_errors ? doc.error : null,
    assertions: assertionsIn(detail),
    metrics: doc.metrics ?? {},
    http: detail === null ? null : (kindOf(type).detail?.http?.(detail) ?? null),
    log: doc.log.slice(-20).map(({ level, msg }) => `${level} ${msg.slice(0, 500)}`),
  }
}
