/** The series of private locations. Pure. */
import type { JobQueue } from '../../../protocol/check-type.ts'
import type { MetricFamily } from '../../../protocol/exposition.ts'
import type { AccountMemory, LocationMemory } from './account-memory.ts'
import { type LocationFamily, locationFamilies, type Piece, type Printer, standardNames } from './families.ts'

type Row = { location: LocationMemory; slug: string }
type LocationSamples = (row: Row) => Array<[labels: string, value: number]>

const queues: readonly JobQueue[] = ['uptime', 'main']

type LocationOptions = { standard: boolean; print: Printer; now: number }

export const locationPieces = (memory: AccountMemory, options: LocationOptions): Piece[] => {
  const { standard, print, now } = options
  const familyOf = (key: LocationFamily): MetricFamily =>
    (standard ? standardNames[key] : undefined) ?? locationFamilies[key]
  const samples: Record<LocationFamily, LocationSamples> = {
    queueSize: ({ location }) => [['', location.queued]],
    oldestRun: ({ location }) => [['', location.oldestAgeMs / 1000]],
    agents: ({ location }) => [['', location.agents]],
    queueDuration: ({ slug }) =>
      queues.flatMap((queue) =>
        delayStatistics(memory.delays.of(slug, queue, now)).map(([stat, ms]): [string, number] => [
          `stat="${stat}",queue="${queue}"`,
          standard ? ms / 1000 : ms,
        ]),
      ),
    runs: ({ location }) => [
      ['state="queued"', location.queued],
      ['state="inflight"', location.inflight],
    ],
  }
  const rows = [...memory.locations].map(([slug, location]) => ({ slug, location }))
  return (Object.keys(samples) as LocationFamily[]).flatMap((key) => {
    const series = rows.flatMap((row) =>
      samples[key](row).map(([labels, value]) => ({ labels: [row.location.labels, labels], value })),
    )
    return series.length === 0 ? [] : [print(familyOf(key), series, true)]
  })
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
