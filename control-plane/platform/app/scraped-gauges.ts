import { Gauge, type Registry } from 'prom-client'
import { type DeclaredMetric, declareMetric } from './metrics.ts'

type GaugeDeclaration = readonly [name: string, help: string, ...labels: string[]]

export type LabelledLevel = { labels: Record<string, string>; value: number }

/** One number, or one for each of a bounded set of labels. */
export type Level = number | readonly LabelledLevel[]

/** Null: it could not be read, or there is none here; the gauges are then empty. */
type ReadLevels<K extends string> = () => Promise<Record<K, Level> | null>

/**
 * Declares gauges that show what one reading returns at the moment of a scrape: it reads once for all of them, by the last
 * reader that was given.
 */
export const scrapedGauges = <K extends string>(
  declared: Record<K, GaugeDeclaration>,
): DeclaredMetric<(read: ReadLevels<K>) => void> =>
  declareMetric(Object.keys(declared).join(', '), (registry) => registerGauges(registry, declared))

const registerGauges = <K extends string>(registry: Registry, declared: Record<K, GaugeDeclaration>) => {
  let read: ReadLevels<K> = async () => null
  let reading: ReturnType<ReadLevels<K>> | undefined
  const readOnce: ReadLevels<K> = () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
  for (const [key, [name, help, ...labelNames]] of Object.entries<GaugeDeclaration>(declared)) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect: async () => {
        const levels = await readOnce()
        if (labelNames.length > 0) gauge.reset()
        else gauge.remove()
        if (levels !== null) show(gauge, levels[key as K])
      },
    })
  }
  return (next: ReadLevels<K>): void => {
    read = next
  }
}

const show = (gauge: Gauge, level: Level): void => {
  if (typeof level === 'number') gauge.set(level)
  else for (const { labels, value } of level) gauge.set(labels, value)
}
