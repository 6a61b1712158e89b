import { shortestStallMs, tickMs } from '../../../../protocol/loop-watch.ts'
import type { App } from '../../app/app.ts'
import { type HasMetrics, histogram } from '../../app/metrics.ts'

export const stallMetrics = {
  seconds: histogram({
    name: 'watchpost_event_loop_stall_seconds',
    help: 'How long the event loop stood, each time that it did for over 50 ms',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  }),
}

/** Tells the metrics of each time that the event loop of this process stood, until the signal aborts. */
export const measureStalls = async (
  { clock, metrics }: Pick<App, 'clock'> & HasMetrics,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    const dueAt = clock.monotonic() + tickMs
    await clock.sleep(tickMs, signal)
    const lateMs = clock.monotonic() - dueAt
    if (lateMs >= shortestStallMs) stallMetrics.seconds({ metrics }).observe((lateMs + tickMs) / 1000)
  }
}
