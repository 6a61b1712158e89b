/**
 * Who should have been told of groups that have a health of their own, and fail as soon as one of their checks does: by what people believe of
 * the checks (told-oracle.ts), and no line of the engine.
 */
import { beliefsIn, type Check, type History, type Settings } from './told-oracle.ts'

/** What no check tells is seen within a minute; it is looked at every few seconds. */
const lagMs = 70_000

export const faultsOfGroups = (history: History): string[] => {
  const believed = beliefsIn(history)
  return [...new Set(history.checks.flatMap(({ groupId }) => groupId ?? []))].flatMap((groupId) => {
    const members = history.checks.filter((check) => check.groupId === groupId)
    const alerts = history.alerts.filter(({ checkId }) => checkId === `group:${groupId}`)
    const failing = (at: number, point: Settings): Check[] =>
      members.filter(
        ({ id }) =>
          !point.muted.includes(id) && !point.stopped.includes(id) && believed(id, at) === 'failing',
      )
    return [
      ...alerts.flatMap(({ type, at }, place) => {
        const due = place % 2 === 0 ? 'ALERT_FAILURE' : 'ALERT_RECOVERY'
        if (type !== due) return [`group ${groupId} ${at}: ${type} is told where ${due} is next`]
        // Somebody may have changed something since it was last looked at.
        const around = [
          history.points.findLast((point) => point.at <= at),
          history.points.find((point) => point.at >= at),
        ].filter((point) => point !== undefined)
        const isSo = around.some((point) => failing(at, point).length > 0 === (type === 'ALERT_FAILURE'))
        return isSo ? [] : [`group ${groupId} ${at}: ${type}, which is not so`]
      }),
      ...(history.groupsTell ? silencesOf(history, { groupId, alerts, failing }) : []),
    ]
  })
}

type Group = {
  groupId: number
  alerts: History['alerts']
  failing(at: number, point: Settings): Check[]
}

/** One of its checks fails for long, as people know, and nobody was told that the group does. */
const silencesOf = ({ points }: History, { groupId, alerts, failing }: Group): string[] => {
  let since: number | null = null
  for (const point of points) {
    const isTold = alerts.findLast(({ at }) => at <= point.at)?.type === 'ALERT_FAILURE'
    if (isTold || failing(point.at, point).length === 0) since = null
    else since ??= point.at
    if (since !== null && point.at - since > lagMs)
      return [`group ${groupId} ${point.at}: fails since ${since}, and nobody was told`]
  }
  return []
}
