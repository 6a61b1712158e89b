/** The series of private locations as text. Pure. */
import type { JobQueue } from '../../../protocol/check-type.ts'
import {
  type ExpositionFormat,
  familyHead,
  type MetricFamily,
  sampleLine,
} from '../../../protocol/exposition.ts'
import type { AccountMemory, LocationMemory } from './account-memory.ts'
import { type LocationFamily, locationFamilies, standardNames } from './families.ts'

type Row = { location: LocationMemory; slug: string }
type LocationSamples = (row: Row) => Array<[labels: string, value: number]>

const queues: readonly JobQueue[] = ['uptime', 'main']

type LocationOptions = { standard: boolean; format: ExpositionFormat; now: number }

export const locationText = (memory: AccountMemory, options: LocationOptions): string => {
  const { standard, format, now } = options
  const familyOf = (key: LocationFamily): MetricFamily =>
    (standard ? standardNames[key] : undefined) ?? locationFamilies[key]
  const samples: Record<LocationFamily, LocationSamples> = {
    queueSize: ({ location }) => [['', location.queued]],
    oldestRun: ({ location }) => [['', location.oldestAgeMs / 1000]],
    agents: ({ location }) => [['', location.agents]],
    queueDuration: ({ slug }) =>
      queues.flatMap((queue) =>
        delayStatistics(memory.delays.of(slug, queue, now)).map(([stat, ms]): [string, number] => [
          `,stat="${stat}",queue="${queue}"`,
          standard ? ms / 1000 : ms,
        ]),
      ),
    runs: ({ location }) => [
      [',state="queued"', location.queued],
      [',state="inflight"', location.inflight],
    ],
  }
  const rows = [...memory.locations].map(([slug, location]) => ({ slug, location }))
  return (Object.keys(samples) as LocationFamily[])
    .map((key) => {
      const family = familyOf(key)
      const lines = rows.flatMap((row) =>
        samples[key](row).map(([labels, value]) =>
          sampleLine(family.name, `${row.location.labels}${labels}`, value),
        ),
      )
      return lines.length === 0 ? '' : familyHead(family, format) + lines.join('')
    })
    .join('')
}

/** By rank; nothing where nothing ran. */
const delayStatistics = (rising: readonly number[]): Array<[stat: string, ms: number]> => {
  if (rising.length === 0) return []
  const rank = (part: number): number => rising[Math.ceil(part * rising.length) - 1] ?? 0
  const sum = rising.reduce((total, delay) => total + delay, 0)
  return [
    ['avg', sum / rising.length],
    ['p90', rank(0.9)],
    ['p99', rank(0.99)],
  ]
}
