/**
 * How the parts of the control plane declare what `/metrics` shows of them: each beside the code that feeds it, by name, help
 * and labels. `control-plane/metrics.ts` lists them all.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** What `/metrics` shows. */
export type HasMetrics = { metrics: Registry }

/** Asks an app for the metric: `httpMetrics.requests(app).inc({ method, route, status })`. */
export type DeclaredMetric<M> = ((app: HasMetrics) => M) & { register(registry: Registry): void }

/** What one part of the program declares. */
export type MetricGroup = Readonly<Record<string, DeclaredMetric<unknown>>>

type Declaration<L extends string> = { name: string; help: string; labels?: readonly L[] }

/** `zeros`: series that are there from the start: one that begins with its first event hides that one from `increase`. */
type CounterDeclaration<L extends string> = Declaration<L> & { zeros?: readonly Record<L, string>[] }

export const counter = <L extends string = never>({
  name,
  help,
  labels = [],
  zeros = [],
}: CounterDeclaration<L>): DeclaredMetric<Counter<L>> =>
  declareMetric(name, (registry) => {
    const counter = new Counter({ name, help, labelNames: labels, registers: [registry] })
    for (const series of zeros) counter.inc(series, 0)
    return counter
  })

export const gauge = <L extends string = never>({
  name,
  help,
  labels = [],
}: Declaration<L>): DeclaredMetric<Gauge<L>> =>
  declareMetric(name, (registry) => new Gauge({ name, help, labelNames: labels, registers: [registry] }))

export const histogram = <L extends string = never>({
  name,
  help,
  labels = [],
  buckets,
}: Declaration<L> & { buckets: number[] }): DeclaredMetric<Histogram<L>> =>
  declareMetric(
    name,
    (registry) => new Histogram({ name, help, labelNames: labels, buckets, registers: [registry] }),
  )

/** A metric that `make` registers, for what the others here cannot declare. */
export const declareMetric = <M>(name: string, make: (registry: Registry) => M): DeclaredMetric<M> => {
  const made = new WeakMap<Registry, { metric: M }>()
  const find = ({ metrics }: HasMetrics): M => {
    const known = made.get(metrics)
    if (known === undefined)
      throw new Error(`${name} is not in the list of metrics (control-plane/metrics.ts)`)
    return known.metric
  }
  return Object.assign(find, {
    register: (registry: Registry): void => {
      made.set(registry, { metric: make(registry) })
    },
  })
}

/** A registry with all that these groups declare. */
export const createMetrics = (groups: readonly MetricGroup[]): Registry => {
  const registry = new Registry()
  for (const group of groups) for (const { register } of Object.values(group)) register(registry)
  return registry
}
