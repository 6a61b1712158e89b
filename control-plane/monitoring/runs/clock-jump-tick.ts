import type { App } from '../../platform/app/app.ts'
import type { HasMetrics } from '../../platform/app/metrics.ts'
import type { HasSteadyClock } from '../../platform/doors/clock/steady-clock.ts'
import type { HasConsequences } from '../outcomes/consequences.ts'
import type { HasRunExport } from '../outcomes/run-export.ts'
import { forgive } from './recover.ts'

/**
 * Follows a machine's clock that was set forward, or that went on while the machine was asleep. It is as if no control
 * plane had been running meanwhile, and is forgiven alike before anybody sees the new time.
 */
export const clockJumpTick = async (
  app: App & HasSteadyClock & HasMetrics & HasRunExport & HasConsequences,
): Promise<void> => {
  const leapMs = app.steadyClock.leapMs()
  if (leapMs === 0) return
  app.log.warn(
    { leapSeconds: Math.round(leapMs / 1000) },
    'The clock was set forward, or the machine was asleep: this time counts as downtime',
  )
  const before = app.clock.now()
  await forgive(app, { downSince: before, now: before + leapMs })
  app.steadyClock.catchUp()
}
