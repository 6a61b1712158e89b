import type { Context, Next } from 'koa'
import { Counter, Histogram } from 'prom-client'
import type { App } from '../app.ts'

type Answered = { requestId: string; method: string; route: string; status: number; startedAt: number }

/** Counts an answer; `startedAt` is of the monotonic clock. */
export type NoteAnswer = (answered: Answered) => void

/** Requests by route pattern (never by address: ids would make a series each) and status. */
export const httpMetrics = (app: App) => {
  const requests = new Counter({
    name: 'watchpost_http_requests_total',
    help: 'Answered HTTP requests',
    labelNames: ['method', 'route', 'status'],
    registers: [app.metrics],
  })
  const durations = new Histogram({
    name: 'watchpost_http_request_duration_seconds',
    help: 'Time from the first byte of a request to its answer; long polls included',
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
    registers: [app.metrics],
  })
  const note: NoteAnswer = ({ requestId, method, route, status, startedAt }) => {
    requests.inc({ method, route, status })
    durations.observe({ route }, (app.clock.monotonic() - startedAt) / 1000)
    if (app.log.isLevelEnabled('debug')) app.log.debug({ requestId, method, route, status }, 'Answered')
  }
  const middleware = async (ctx: Context, next: Next): Promise<void> => {
    const startedAt = app.clock.monotonic()
    await next()
    const route = ctx.state['route'] ?? 'none'
    note({ requestId: ctx.state['requestId'], method: ctx.method, route, status: ctx.status, startedAt })
  }
  return { middleware, note }
}
