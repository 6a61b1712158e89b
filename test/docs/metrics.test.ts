/** docs/metrics.md holds every metric that `/metrics` of either program shows, and no other. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { createMetrics as createAgentMetrics } from '../../agent/base/metrics.ts'
import { metricGroups } from '../../control-plane/metrics.ts'
import { createMetrics } from '../../control-plane/platform/app/metrics.ts'
import { collectProcessMetrics } from '../../control-plane/platform/app/process-metrics.ts'

const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8')

const tableUnder = (heading: string): string[] => {
  const [, after = ''] = page.split(`\n## ${heading}\n`)
  const [section = ''] = after.split(/\n##/)
  return section.split('\n').filter((line) => line.startsWith('| `'))
}

/** Of Prometheus' text: a row for each metric, with the labels that its samples carry. */
const rowsOf = (text: string): string[] =>
  [...text.matchAll(/^# HELP (\S+) (.+)\n# TYPE \S+ (\S+)\n((?:(?!#).+\n?)*)/gm)].map(
    ([, name = '', help = '', type = '', samples = '']) => {
      const labels = [...samples.matchAll(/(\w+)="/g)].map(([, label = '']) => label)
      const own = [...new Set(labels)].filter((label) => label !== 'le' && label !== 'quantile')
      return rowOf({ name, help, type, labelNames: own })
    },
  )

const rowOf = ({ name, help, type, labelNames }: DeclaredMetric): string =>
  `| \`${name}\` | ${type} | ${labelNames.map((label) => `\`${label}\``).join(' ') || '–'} | ${help} |`

const nameOf = (row: string): string => /^\| `([^`]+)`/.exec(row)?.[1] ?? ''
const isOurs = (row: string): boolean => nameOf(row).startsWith('watchpost_')

/** As it is declared, whether or not anything was counted yet. */
type DeclaredMetric = { name: string; help: string; type: string; labelNames: readonly string[] }

const controlPlaneRows = async (): Promise<string[]> => {
  const metrics = createMetrics(metricGroups)
  collectProcessMetrics(metrics)
  const declared = metrics.getMetricsAsArray() as unknown as DeclaredMetric[]
  return declared.map(rowOf)
}

const agentRows = async (): Promise<string[]> => {
  const metrics = createAgentMetrics()
  metrics.buildInfo.set({ version: 'x', revision: 'x', node: 'x', location: 'x' }, 1)
  metrics.results.inc({ outcome: 'x' })
  metrics.uploads.inc({ outcome: 'x' })
  metrics.artifacts.inc({ outcome: 'x' })
  metrics.aloneRuns.inc({ outcome: 'x' })
  metrics.lateUploads.inc({ outcome: 'x' })
  metrics.fallbackMessages.inc({ outcome: 'x' })
  metrics.calls.observe({ call: 'x', outcome: 'x' }, 1)
  metrics.isolation.set({ layer: 'x' }, 1)
  metrics.watch(() => ({
    held: 1,
    waiting: 1,
    running: 1,
    slow: 1,
    spoolBatches: 1,
    spoolBytes: 1,
    spoolDurable: 1,
    spoolDropped: 1,
    artifactFiles: 1,
    artifactBytes: 1,
    connected: 1,
    standingOrders: 1,
    alone: 1,
    lateReports: 1,
  }))
  return rowsOf(await metrics.render())
}

const programs = { 'The control plane': controlPlaneRows, 'The agent': agentRows }

for (const [program, rows] of Object.entries(programs))
  t.test(`${program}: the page has its metrics with their labels, and the process' own`, async (t) => {
    const shown = await rows()
    t.strictSame(tableUnder(program), shown.filter(isOurs))
    const ofProcess = tableUnder('Process and Node').map(nameOf)
    const others = shown.filter((row) => !isOurs(row)).map(nameOf)
    for (const name of [
      'process_cpu_seconds_total',
      'nodejs_eventloop_lag_seconds',
      'nodejs_gc_duration_seconds',
    ])
      t.ok(others.includes(name), `${name} is collected`)
    t.strictSame(
      others.filter((name) => !ofProcess.includes(name)),
      [],
      'each is on the page',
    )
    // Some of them exist on Linux only.
    if (process.platform === 'linux') t.strictSame(ofProcess, others)
  })
