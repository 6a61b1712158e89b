import { flappingChecks } from '../../../alerting/engine/state-queries.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasMetrics } from '../../../platform/app/metrics.ts'
import { perApp } from '../../../platform/app/per-app.ts'
import { scrapedGauges } from '../../../platform/app/scraped-gauges.ts'

export const alertStateMetrics = {
  levels: scrapedGauges({
    flapping: [
      'watchpost_flapping_checks',
      'Checks whose level changes again and again, where that is looked at',
    ],
  }),
}

/** Has `/metrics` show it from the first call on; without a store it stays away. */
export const watchFlapping = perApp((app: App & HasMetrics) => {
  alertStateMetrics.levels(app)(async () => {
    try {
      return { flapping: (await app.db.get(flappingChecks, {}))?.total ?? 0 }
    } catch (error) {
      app.log.warn({ err: error }, 'The alert states could not be read for the metrics')
      return null
    }
  })
})
