/**
 * What orchestrators and Prometheus ask, without a key: /-/readiness, /-/liveness, /health and /metrics. Ready is who
 * accepts work, reaches the store and gets on with its own work; a full disk is not the end of that, because most of the API only reads.
 */

import type { Context, Next } from 'koa'
import type { App } from '../../../app/app.ts'
import { commitWatch } from '../../../app/commit-watch.ts'
import type { HasMetrics } from '../../../app/metrics.ts'
import { newerStore } from '../../../app/newer-store.ts'
import { loopWatch } from '../../../services/clock/loop-watch.ts'
import { createStoreReach } from './store-reach.ts'

type Answer = { status: number; type?: string; body: string }

const json = (status: number, value: object): Answer => ({ status, body: JSON.stringify(value) })

export const serveProbes = (app: App & HasMetrics, draining: AbortSignal) => {
  const reachesStore = createStoreReach(app)
  const probes: Record<string, () => Answer | Promise<Answer>> = {
    '/-/readiness': async () => {
      if (draining.aborted) return json(503, { status: 'draining' })
      if (!(await reachesStore())) return json(503, { status: 'no store' })
      if (newerStore(app) !== null) return json(503, { status: 'newer store' })
      if (commitWatch(app).isSlow()) return json(503, { status: 'store does not commit' })
      const stalled = loopWatch(app).stalled()
      return stalled.length === 0
        ? json(200, { status: 'ready' })
        : json(503, { status: 'stalled', loops: stalled })
    },
    '/-/liveness': () => json(200, { status: 'alive' }),
    '/health': () => json(200, { status: 'ok' }),
    '/metrics': async () => ({
      status: 200,
      type: app.metrics.contentType,
      body: await app.metrics.metrics(),
    }),
  }
  return async (ctx: Context, next: Next): Promise<void> => {
    const probe = ctx.method === 'GET' || ctx.method === 'HEAD' ? probes[ctx.path] : undefined
    if (!probe) return next()
    ctx.state['route'] = ctx.path
    const { status, type = 'application/json; charset=utf-8', body } = await probe()
    ctx.status = status
    ctx.set('content-type', type)
    ctx.body = body
  }
}
