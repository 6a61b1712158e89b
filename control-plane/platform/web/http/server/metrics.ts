import type { Context, Next } from 'koa'
import type { App } from '../../../app/app.ts'
import { counter, type HasMetrics, histogram } from '../../../app/metrics.ts'

type AnswerFacts = { requestId: string; method: string; route: string; status: number; startedAt: number }

/** Counts an answer; `startedAt` is of the monotonic clock. */
export type NoteAnswer = (answered: AnswerFacts) => void

export const httpMetrics = {
  requests: counter({
    name: 'watchpost_http_requests_total',
    help: 'Answered HTTP requests',
    // The pattern of the route, never the address: ids would make a series each.
    labels: ['method', 'route', 'status'],
  }),
  requestSeconds: histogram({
    name: 'watchpost_http_request_duration_seconds',
    help: 'Time from the first byte of a request to its answer; long polls included',
    labels: ['route'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
  }),
}

/** Counts every answer, whichever part of the server gives it. */
export const measureAnswers = (app: App & HasMetrics) => {
  const requests = httpMetrics.requests(app)
  const requestSeconds = httpMetrics.requestSeconds(app)
  const note: NoteAnswer = ({ requestId, method, route, status, startedAt }) => {
    requests.inc({ method, route, status })
    requestSeconds.observe({ route }, (app.clock.monotonic() - startedAt) / 1000)
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
