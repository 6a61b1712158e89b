import type { CheckType } from '../../../protocol/check-type.ts'
import { assertionsIn, ownDetail } from '../../monitoring/check-results/own-detail.ts'
import { type ResultDoc, resultDoc } from '../../monitoring/check-results/result-doc.ts'
import { type CheckDoc, checkDoc } from '../../monitoring/checks/check-doc.ts'
import { findCheck } from '../../monitoring/checks/queries.ts'
import { kindOf } from '../../monitoring/checks/types/index.ts'
import type { App } from '../../platform/app.ts'
import type { ErrorGroupsTable, RootCauseAnalysesTable } from '../../platform/database/tables/analysis.ts'
import type { ResultsTable } from '../../platform/database/tables/runs.ts'
import { findErrorGroup } from '../error-groups/queries.ts'
import type { Facts, FailedRunFacts, NeighbourFacts } from './facts.ts'
import { historyOf } from './history.ts'
import { failedResults, otherChecks, recentRuns, runAround } from './history-queries.ts'

/** How much is read for one analysis: bounds of its cost. */
const maxFailedResults = 50
const maxRuns = 500
const maxOtherChecks = 500
/** Neighbours count as failing at the same time within this of the failure. */
const sameTimeMs = 10 * 60_000

/** Null when the check or the group is gone. */
export const gatherFacts = async (app: App, row: RootCauseAnalysesTable): Promise<Facts | null> => {
  const of = { checkId: row.check_id, accountId: row.account_id }
  const group = await app.db.get(findErrorGroup, { id: row.error_group_id, accountId: row.account_id })
  const check = await app.db.get(findCheck, { id: row.check_id, accountId: row.account_id })
  if (group === undefined || check === undefined) return null
  const failures = await app.db.all(failedResults, {
    ...of,
    until: group.last_seen_at,
    limit: maxFailedResults,
  })
  const run = latestOf(group, failures, check.type)
  const doc = checkDoc.read(check.doc)
  return {
    now: app.clock.now(),
    userContext: row.user_context,
    check: {
      name: doc.name,
      type: check.type as CheckType,
      host: hostOfCheck(doc),
      maxResponseTime: doc.maxResponseTime ?? null,
      updatedAt: check.updated_at,
    },
    group: {
      message: group.raw_error_message ?? group.cleaned_error_message,
      firstSeenAt: group.first_seen_at,
      lastSeenAt: group.last_seen_at,
      events: group.events,
    },
    run,
    history: historyOf(await app.db.all(recentRuns, { ...of, limit: maxRuns }), run.startedAt),
    neighbours: await neighboursOf(app, of, run.startedAt),
  }
}

/** What a request of some type may name its target by. */
type Target = { url?: string; hostname?: string; query?: string }

const hostOfCheck = ({ request }: CheckDoc): string | null => {
  const { url, hostname, query } = (request ?? {}) as Target
  return hostname ?? query ?? (url ? (URL.parse(url)?.hostname ?? null) : null)
}

type FailedResult = Pick<
  ResultsTable,
  'started_at' | 'location' | 'response_time' | 'has_errors' | 'over_max' | 'doc'
>

/** The latest stored run of the group; when retention has taken all of them, what the group itself remembers. */
const latestOf = (
  group: ErrorGroupsTable,
  failures: readonly FailedResult[],
  type: string,
): FailedRunFacts => {
  for (const row of failures) {
    const doc = resultDoc.read(row.doc)
    if (doc.errorGroupIds.includes(group.id)) return runFacts(row, doc, type)
  }
  return {
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
}

const runFacts = (row: FailedResult, doc: ResultDoc, type: string): FailedRunFacts => {
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

/** How the account's other checks did at that time; those that did not run then are left out. */
const neighboursOf = async (
  app: App,
  of: { checkId: string; accountId: string },
  at: number,
): Promise<NeighbourFacts[]> => {
  const neighbours: NeighbourFacts[] = []
  for (const { id, name, doc } of await app.db.all(otherChecks, { ...of, limit: maxOtherChecks })) {
    const run = await app.db.get(runAround, { checkId: id, since: at - sameTimeMs, until: at + sameTimeMs })
    if (run) neighbours.push({ name, host: hostOfCheck(checkDoc.read(doc)), fails: run.has_failures })
  }
  return neighbours
}
