import type { CheckType } from '../../../protocol/check-type.ts'
import { checkDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import { hostOfCheck } from '../../monitoring/definitions/checks/check-target.ts'
import { kindOf } from '../../monitoring/definitions/checks/types/index.ts'
import { latestCopies } from '../../monitoring/definitions/tested-checks/queries.ts'
import { assertionsIn, ownDetail } from '../../monitoring/results/own-detail.ts'
import { type ResultDoc, resultDoc } from '../../monitoring/results/result-doc.ts'
import type { Result, ResultWithDoc } from '../../monitoring/results/stored/result.ts'
import type { App } from '../../platform/app/app.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type {
  ErrorGroupsTable,
  RootCauseAnalysesTable,
} from '../../platform/store/database/tables/analysis.ts'
import type { ChecksTable } from '../../platform/store/database/tables/runs.ts'
import { analysedCheck } from './analysed-check.ts'
import type { Facts, FailedRunFacts } from './facts.ts'
import { historyOf } from './history.ts'
import { failedResults, recentRuns } from './history-queries.ts'
import { neighboursOf } from './neighbours.ts'
import { findErrorGroup } from './queries.ts'

/** How much is read for one analysis: bounds of its cost. */
const maxFailedResults = 50
export const maxRuns = 500
const maxCopies = 50

/** `resultId`: the run that they are about, or null where only its group is left of it. */
type GatheredFacts = { facts: Facts; resultId: string | null }

/** Null when the check or the group is gone. */
export const gatherFacts = async (app: App, row: RootCauseAnalysesTable): Promise<GatheredFacts | null> => {
  const of = { checkId: row.check_id, accountId: row.account_id }
  const group = await app.db.get(findErrorGroup, { id: row.error_group_id, accountId: row.account_id })
  const check = group && (await analysedCheck(app.db, group))
  if (group === undefined || check === undefined) return null
  const runs = await runsOf(app.db, group)
  const { run, resultId } = latestOf(group, runs.failures, check.type)
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
    history: historyOf(runs.recent, run.startedAt),
    neighbours: await neighboursOf(app, of, run.startedAt),
  }
  return { facts, resultId }
}

type RunsOfGroup = { failures: ResultWithDoc[]; recent: Result[] }

/** Of a check, or of the copies that tests of it ran last: those are run once each. */
const runsOf = async (db: Db, group: ErrorGroupsTable): Promise<RunsOfGroup> => {
  const { check_id: checkId, account_id: accountId, last_seen_at: until } = group
  const copies = group.of_tests ? await db.all(latestCopies, { accountId, checkId, limit: maxCopies }) : []
  const ids = group.of_tests ? copies.map(({ id }) => id) : [checkId]
  const limit = group.of_tests ? 1 : maxFailedResults
  const found: RunsOfGroup = { failures: [], recent: [] }
  for (const id of ids) {
    found.failures.push(...(await failedResults(db, { checkId: id, until, limit })))
    found.recent.push(...(await recentRuns(db, { checkId: id, limit: group.of_tests ? 1 : maxRuns })))
  }
  return found
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
