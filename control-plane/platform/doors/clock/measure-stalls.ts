import { shortestStallMs, tickMs } from '../../../../protocol/loop-watch.ts'
import type { App } from '../../app/app.ts'
import type { HasMetrics } from '../../app/metrics.ts'

/** Tells the metrics of each time that the event loop of this process stood, until the signal aborts. */
export const measureStalls = async (
  { clock, metrics }: Pick<App, 'clock'> & HasMetrics,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    const dueAt = clock.monotonic() + tickMs
    await clock.sleep(tickMs, signal)
    const lateMs = clock.monotonic() - dueAt
    if (lateMs >= shortestStallMs) metrics.stalls.observe((lateMs + tickMs) / 1000)
  }
}
