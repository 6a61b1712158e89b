import { httpUrl, parsed, textOf, type VariableSource } from '../base/read-variables.ts'

/** `url` may carry credentials: it is shown to nobody. */
export type FallbackSettings = Readonly<{ url: string; secret: string | null; afterMs: number }>

const defaultAfterMs = 5 * 60_000
const longestMs = 24 * 3_600_000
const unitMs: Record<string, number> = { '': 1000, s: 1000, m: 60_000, h: 3_600_000 }

/** Null: nobody is told while the control plane is away. */
export const readFallback = (source: VariableSource): FallbackSettings | null => {
  const afterMs = parsed<number>(source, 'FALLBACK_AFTER', {
    fallback: defaultAfterMs,
    parse: (value) => {
      const [, count = '', unit = ''] = /^(\d{1,6})([smh]?)$/.exec(value) ?? []
      const milliseconds = Number(count) * (unitMs[unit] ?? 0)
      return count !== '' && milliseconds >= 15_000 && milliseconds <= longestMs
        ? milliseconds
        : `must be a time from 15s to 24h, such as 300, 90s, 5m or 1h, not "${value}"`
    },
  })
  const secret = textOf(source, 'FALLBACK_WEBHOOK_SECRET')
  const url = httpUrl(source, 'FALLBACK_WEBHOOK_URL')
  if (url === null && textOf(source, 'FALLBACK_WEBHOOK_URL') === null && secret !== null)
    source.problems.push('FALLBACK_WEBHOOK_SECRET signs nothing without FALLBACK_WEBHOOK_URL')
  return url === null ? null : Object.freeze({ url, secret, afterMs })
}
