/**
 * After an outage: once the agents of a location have brought what they ran by themselves, what nobody ran is missed, and the checks are judged
 * by all that was seen, in the order of their due times.
 */
import type { App } from '../../../platform/app/app.ts'
import type { HasMetrics } from '../../../platform/app/metrics.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { HasLocales } from '../../../platform/web/html/locales.ts'
import { asAwaited, awaitingLocations, judgeableChecks, takeAwaited } from '../../schedule/awaited-runs.ts'
import {
  dropOldSightings,
  forgetLateAgents,
  lateAgents,
  writeHeardAgents,
} from '../../schedule/late-agents.ts'
import { recordMissedRanges, scheduleMetrics } from '../../schedule/missed-runs.ts'
import { ordersOfLocation } from '../../schedule/order-holders.ts'
import { explainMisses } from './explain-misses.ts'
import type { HasOrdersGrace } from './grace-settings.ts'
import { judgeDeferred } from './judge-deferred.ts'
import { sendDigests } from './send-digests.ts'
import { isSettled } from './settled-locations.ts'

/** Short transactions: what one of them waits for or loses is little. */
const rangesPerTransaction = 200
const checksPerTurn = 500
/** What told us something before its due times were planned again is judged with them. */
const plannedAfterMs = 3000
const rememberAgentsMs = 3_600_000

type SettleApp = App & HasCipher & HasLocales & HasMetrics & HasOrdersGrace & HasWakeups

export const settleTick = async (app: SettleApp, signal?: AbortSignal): Promise<void> => {
  const waiting = await app.db.all(awaitingLocations, {})
  if (waiting.length === 0) dropOldSightings(app)
  else {
    await writeHeardAgents(app, new Set(waiting.map(({ location_id }) => location_id)))
    await settleLocations(app, waiting, signal)
  }
  await judgeSettled(app, signal)
  await sendDigests(app)
  await app.db.run(forgetLateAgents, { before: app.clock.now() - rememberAgentsMs })
}

type Waiting = { location_id: string; since: number; first_due_at: number }

const settleLocations = async (
  app: SettleApp,
  waiting: readonly Waiting[],
  signal?: AbortSignal,
): Promise<void> => {
  const agents = await app.db.all(lateAgents, {})
  for (const { location_id: locationId, since, first_due_at: dueAt } of waiting) {
    if (signal?.aborted) return
    const holders = (await app.db.all(ordersOfLocation, { locationId, since: dueAt })).map(
      ({ agent_id }) => agent_id,
    )
    const known = {
      agents: agents.filter(({ location_id }) => location_id === locationId),
      now: app.clock.now(),
      graceMs: app.config.awaitedForMs,
    }
    if (isSettled({ since, holders }, known)) await settle(app, locationId, signal)
  }
}

const settle = async (app: SettleApp, locationId: string, signal?: AbortSignal): Promise<void> => {
  let taken: number
  do {
    const missed = await app.db.transaction(async (trx) => {
      const rows = await trx.all(takeAwaited, { locationId, limit: rangesPerTransaction })
      const explained = await explainMisses(trx, rows.map(asAwaited), app.newId)
      await recordMissedRanges(trx, explained)
      return { ranges: rows.length, explained }
    })
    for (const { reason, count } of missed.explained) scheduleMetrics.missedRuns(app).inc({ reason }, count)
    taken = missed.ranges
  } while (taken === rangesPerTransaction && !signal?.aborted)
}

const judgeSettled = async (app: SettleApp, signal?: AbortSignal): Promise<void> => {
  const before = app.clock.now() - plannedAfterMs
  const checks = await app.db.all(judgeableChecks, { before, limit: checksPerTurn })
  for (const { check_id: checkId } of checks) {
    if (signal?.aborted) return
    const wake = await app.db.transaction((trx) =>
      judgeDeferred(trx, checkId, { now: app.clock.now(), newId: app.newId }),
    )
    for (const name of wake) app.wakeups.wake(name)
  }
}
