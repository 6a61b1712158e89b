/** What docs/monitoring has, for tests: rules, dashboards and the example of a configuration. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = new URL('../../docs/monitoring/', import.meta.url)

export const monitoringPath = (name: string): string => fileURLToPath(new URL(name, folder))

export const readMonitoring = (name: string): string => readFileSync(monitoringPath(name), 'utf8')

export type Panel = {
  id: number
  type: string
  title: string
  datasource?: { type: string; uid: string }
  gridPos: { h: number; w: number; x: number; y: number }
  targets?: { expr: string; datasource: { type: string; uid: string } }[]
}

export type DashboardVariable = { name: string; type: string; query: string | { query: string } }

export type Dashboard = {
  uid: string
  title: string
  schemaVersion: number
  templating: { list: DashboardVariable[] }
  panels: Panel[]
}

export const dashboards: Record<string, Dashboard> = Object.fromEntries(
  readdirSync(new URL('dashboards/', folder))
    .filter((name) => name.endsWith('.json'))
    .map((name) => [name, JSON.parse(readMonitoring(`dashboards/${name}`)) as Dashboard]),
)

/** Expressions of a dashboard as Grafana sends them, with everything chosen. */
export const expressionsOf = ({ panels }: Dashboard, window = '1m'): string[] =>
  panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) =>
      expr.replace(/\$__(rate_interval|range|interval)/g, window).replace(/\$(location|group|name)\b/g, '.*'),
    ),
  )

/** Metrics of ours that a text names, without the suffixes of histograms. */
export const namesIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(/\b(?:watchpost|process|nodejs|probe)_\w+/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, (suffix) =>
        countLike.some((known) => name === known) ? suffix : '',
      ),
    ),
  ),
]

/** Gauges whose own name ends like a part of a histogram. */
const countLike = ['watchpost_private_location_agent_count']

/** Metrics of both programs by docs/metrics.md, with their types. */
export const ownMetrics = (): Map<string, string> =>
  new Map(
    [...readFileSync(new URL('../metrics.md', folder), 'utf8').matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(
      ([, name = '', type = '']) => [name, type],
    ),
  )
