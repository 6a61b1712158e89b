/** The histograms in which the exporter of an account shows the runs of a check type. */
import type { FinishedRun } from '../../../outcomes/finished-runs.ts'

/** `name`: without the prefix that all metrics have. */
export type SeriesFamily = { name: string; help: string; buckets: 'seconds' | 'long' | 'counts' }

/** `family`: its name; `type`: the label of that name, empty: none. */
export type Measurement = { family: string; type: string; values: number[] }

type MeasuredRun = Pick<FinishedRun, 'verdict' | 'startedAt' | 'stoppedAt' | 'metrics' | 'detail'>

export type RunSeries = { families: readonly SeriesFamily[]; read(run: MeasuredRun): Measurement[] }

/** What a check's own clock measured; a suite's runs have no other time than that of the run. */
export const timeOf = ({
  verdict,
  startedAt,
  stoppedAt,
}: Pick<MeasuredRun, 'verdict' | 'startedAt' | 'stoppedAt'>): number =>
  verdict.responseTime > 0 ? verdict.responseTime : Math.max(0, stoppedAt - startedAt)

/** Metrics of a run by the `type` under which they are shown. */
export const timings = (name: string, help: string, types: Readonly<Record<string, string>>): RunSeries => ({
  families: [{ name, help, buckets: 'seconds' }],
  read: ({ metrics }) =>
    Object.entries(types).flatMap(([type, metric]) => {
      const value = metrics[metric]
      return value === undefined ? [] : [{ family: name, type, values: [value / 1000] }]
    }),
})

const httpPhases = {
  wait: 'wait',
  dns: 'dns',
  tcp: 'tcp',
  tls: 'tls',
  first_byte: 'firstByte',
  download: 'download',
}

/** The phases of an HTTP request, and how long the run took. */
export const httpTimings = (name: string, help: string): RunSeries => {
  const { families, read } = timings(name, help, httpPhases)
  return {
    families,
    read: (run) => [...read(run), { family: name, type: 'total', values: [run.verdict.responseTime / 1000] }],
  }
}

export const duration = (name: string, help: string): RunSeries => ({
  families: [{ name, help, buckets: 'long' }],
  read: (run) => [{ family: name, type: '', values: [timeOf(run) / 1000] }],
})
