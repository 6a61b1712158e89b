import type { App } from '../../platform/app/app.ts'
import type { HasSteadyClock } from '../../platform/services/clock/steady-clock.ts'
import { forgiveTick } from './forgive.ts'
import { recordOutage } from './outages.ts'

/**
 * Follows a machine's clock that was set forward, or that went on while the machine was asleep. It is as if no control
 * plane had been running meanwhile, and is forgiven alike before anybody sees the new time.
 */
export const clockJumpTick = async (app: App & HasSteadyClock): Promise<void> => {
  const leapMs = app.steadyClock.leapMs()
  if (leapMs === 0) return
  app.log.warn(
    { leapSeconds: Math.round(leapMs / 1000) },
    'The clock was set forward, or the machine was asleep: this time counts as downtime',
  )
  const before = app.clock.now()
  await app.db.transaction((trx) => recordOutage(trx, { since: before, endedAt: before + leapMs }))
  await forgiveTick(app)
  app.steadyClock.catchUp()
}
