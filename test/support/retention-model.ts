/** Which rows retention keeps, as a plain model says it. */
import { instantOfId } from '../../control-plane/monitoring/results/stored/parts.ts'
import type { WholeConfig } from '../../control-plane/read-config.ts'
import { dayMs, type Rows } from './retention-rows.ts'

type Retention = WholeConfig['retention']
/** `firstPeriodAt`: results of ids from then on end with the day that their id was made in. */
type Model = { retention: Retention; now: number; firstPeriodAt: number }

/** What is left of them, as one reads it in docs/retention.md. */
export const modelOf = (
  rows: Rows,
  { retention, now, firstPeriodAt }: Model,
): Record<keyof Rows, string[]> => {
  const isOver = (kind: keyof Retention, at: number | null) => at !== null && at < now - retention[kind]
  const groups = rows.error_groups.filter(
    (group) => group.archived_for_ever || !isOver('errorGroups', group.last_seen_at),
  )
  const goneGroups = new Set(
    rows.error_groups.map(({ id }) => id).filter((id) => !groups.some((g) => g.id === id)),
  )
  const analyses = rows.root_cause_analyses.filter(({ error_group_id }) => !goneGroups.has(error_group_id))
  const openGroups = groups.filter((group) => !group.archived_for_ever && !group.archived_until_next_event)
  const newest = (list: { started_at: number }[]) => Math.max(...list.map(({ started_at }) => started_at))
  const newestOf = new Map(
    rows.results.map(({ check_id }) => [
      check_id,
      newest(rows.results.filter((one) => one.check_id === check_id && one.result_type === 'FINAL')),
    ]),
  )
  const endOf = ({ id, created_at }: { id: string; created_at: number }): number => {
    const madeAt = instantOfId(id)
    return madeAt < firstPeriodAt ? created_at : (Math.floor(madeAt / dayMs) + 1) * dayMs - 1
  }
  const results = rows.results.filter(
    (result) =>
      !isOver('results', endOf(result)) ||
      (result.result_type === 'FINAL' &&
        (newestOf.get(result.check_id) === result.started_at ||
          ((result.has_failures || result.has_errors) &&
            openGroups.some(
              (group) => group.check_id === result.check_id && group.last_seen_at === result.started_at,
            )))),
  )
  const sessions = rows.check_sessions.filter(({ stopped_at }) => !isOver('sessions', stopped_at))
  const unwell = new Set(rows.alert_states.map(({ check_id }) => check_id))
  const open = new Set(
    rows.check_alerts
      .filter(
        (alert) =>
          unwell.has(alert.check_id) &&
          !rows.check_alerts.some((o) => o.check_id === alert.check_id && o.created_at > alert.created_at),
      )
      .map(({ id }) => id),
  )
  const retainedResults = new Set(results.map(({ id }) => id))
  const ids = (list: { id: string }[]) => list.map(({ id }) => id).sort()
  return {
    results: ids(results),
    error_groups: ids(groups),
    root_cause_analyses: ids(
      analyses.filter(
        (one) =>
          !isOver('analyses', one.completed_at) ||
          (groups.some(({ id }) => id === one.error_group_id) &&
            !analyses.some((o) => o.error_group_id === one.error_group_id && o.created_at > one.created_at)),
      ),
    ),
    missed_runs: ids(rows.missed_runs.filter(({ last_due_at }) => !isOver('missedRuns', last_due_at))),
    check_sessions: ids(sessions),
    check_session_runs: ids(
      rows.check_session_runs.filter(({ session_id }) => sessions.some(({ id }) => id === session_id)),
    ),
    alert_states: rows.alert_states.map(({ check_id }) => check_id).sort(),
    check_alerts: ids(
      rows.check_alerts.filter((one) => open.has(one.id) || !isOver('alerts', one.created_at)),
    ),
    alert_notifications: ids(
      rows.alert_notifications.filter(
        (one) =>
          !isOver('notifications', one.created_at) || one.due_at !== null || open.has(one.check_alert_id),
      ),
    ),
    artifacts: rows.artifacts
      .filter(({ result_id }) => retainedResults.has(result_id))
      .map(({ result_id }) => result_id)
      .sort(),
  }
}
