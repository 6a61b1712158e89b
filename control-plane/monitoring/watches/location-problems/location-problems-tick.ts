/**
 * The loop that sees what is wrong with private locations that checks run in: nobody comes for their runs, those who come are too few,
 * or too old. Each problem of a location is told once, and once more when it is over. It is no outage of the checks: what could not be
 * run is a missed run (runs/sweep.ts).
 */

import { type LocationProblem, locationProblemNames } from '../../../alerting/messages/location-problem.ts'
import { notificationsWakeup } from '../../../alerting/notifications/queue-notifications.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { HasLocales } from '../../../platform/web/html/locales.ts'
import { agentGoneMs } from '../../locations/agents/agent-presence.ts'
import { compareVersions, oldestSupported } from '../../locations/agents/versions.ts'
import {
  endProblem,
  insertProblem,
  locationName,
  locationProblems,
  locationsWithChecks,
  noticeProblem,
  versionsByLocation,
} from '../../locations/problem-queries.ts'
import { locationDoc } from '../../locations/queries.ts'
import { isUnheard } from './is-unheard.ts'
import { heldMs, problemsOf, watchedSince } from './problems-of.ts'
import { type SeenLocation, tellProblem } from './tell-problem.ts'

/** `version`: of the control plane, by which agents are outdated. */
export const locationProblemsTick =
  (version: string) =>
  async (
    app: App & HasCipher & HasLocales & HasWakeups,
    _signal?: AbortSignal,
    knownUntil = Number.POSITIVE_INFINITY,
  ): Promise<void> => {
    const now = Math.min(app.clock.now(), knownUntil)
    const versions = { controlPlaneVersion: version, supportedVersion: oldestSupported(version) }
    const locations = await seenLocations(app, versions, now)
    const rows = await app.db.all(locationProblems, {})
    const known = Map.groupBy(rows, ({ location_id }) => location_id)
    for (const seen of locations.values()) {
      const before = new Map((known.get(seen.id) ?? []).map((row) => [row.problem, row]))
      const answers = problemsOf(seen, new Set(before.keys()) as Set<LocationProblem>)
      for (const problem of locationProblemNames) {
        const row = before.get(problem)
        if (answers[problem] === true) await goesOn(app, seen, { problem, row, now })
        else if (answers[problem] === false && row) await end(app, seen, { problem, now })
      }
    }
    for (const { location_id: id, account_id: accountId, problem } of rows)
      if (!locations.has(id))
        await end(app, await withoutChecks(app, { id, accountId, ...versions }), {
          problem: problem as LocationProblem,
          now,
        })
  }

type Versions = Pick<SeenLocation, 'controlPlaneVersion' | 'supportedVersion'>

const seenLocations = async (app: App, around: Versions, now: number): Promise<Map<string, SeenLocation>> => {
  const since = now - agentGoneMs
  const versions = Map.groupBy(
    await app.db.all(versionsByLocation, { since }),
    ({ location_id }) => location_id,
  )
  const rows = await app.db.all(locationsWithChecks, { lateSince: watchedSince(now) })
  return new Map(
    rows.map(({ id, account_id: accountId, name, doc, last_seen_at: lastSeenAt, ...minutes }) => {
      const here = (versions.get(id) ?? []).map(({ version }) => version).toSorted(compareVersions)
      const isServed = (lastSeenAt ?? 0) > since
      return [
        id,
        {
          id,
          accountId,
          name,
          lastSeenAt,
          isServed,
          lateMinutes: minutes.late_minutes ?? 0,
          scalesToZero: locationDoc.read(doc).scalesToZero,
          waitingMinutes: minutes.waiting_minutes ?? 0,
          versions: here,
          ...around,
          hasChecks: true,
        },
      ]
    }),
  )
}

/** Nothing runs there any longer, or the location is gone, and then nobody is told (`name` is null). */
const withoutChecks = async (
  app: App,
  { id, accountId, ...versions }: Versions & { id: string; accountId: string },
): Promise<SeenLocation> => ({
  ...versions,
  ...{ id, accountId, name: (await app.db.get(locationName, { id }))?.name ?? null, lastSeenAt: null },
  ...{ isServed: false, lateMinutes: 0, scalesToZero: false, waitingMinutes: 0 },
  ...{ versions: [], hasChecks: false },
})

type Going = {
  problem: LocationProblem
  row: { since: number; noticed_at: number | null } | undefined
  now: number
}

const goesOn = async (
  app: App & HasCipher & HasLocales & HasWakeups,
  seen: SeenLocation,
  { problem, row, now }: Going,
): Promise<void> => {
  const { id: locationId, accountId } = seen
  if (row === undefined) await app.db.run(insertProblem, { locationId, accountId, problem, now })
  const since = row?.since ?? now
  if ((row?.noticed_at ?? null) !== null || since > now - heldMs[problem]) return
  if (await isUnheard(app.db, seen, now)) return
  const told = await app.db.transaction(async (trx) => {
    if ((await trx.run(noticeProblem, { locationId, problem, now })) === 0) return false
    await tellProblem(trx, app, { seen, problem, since, isOver: false, now })
    return true
  })
  if (told) app.wakeups.wake(notificationsWakeup)
}

const end = async (
  app: App & HasCipher & HasLocales & HasWakeups,
  seen: SeenLocation,
  { problem, now }: { problem: LocationProblem; now: number },
): Promise<void> => {
  const told = await app.db.transaction(async (trx) => {
    const ended = await trx.get(endProblem, { locationId: seen.id, problem })
    if (!ended || ended.noticed_at === null) return false
    const { since, mailed } = ended
    await tellProblem(trx, app, { seen, problem, since, isOver: true, wasMailed: mailed, now })
    return true
  })
  if (told) app.wakeups.wake(notificationsWakeup)
}
