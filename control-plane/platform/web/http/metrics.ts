import type { Context, Next } from 'koa'
import type { App } from '../../app/app.ts'
import type { HasMetrics } from '../../app/metrics.ts'

type AnswerFacts = { requestId: string; method: string; route: string; status: number; startedAt: number }

/** Counts an answer; `startedAt` is of the monotonic clock. */
export type NoteAnswer = (answered: AnswerFacts) => void

export const httpMetrics = (app: App & HasMetrics) => {
  const { requests, requestSeconds } = app.metrics
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
