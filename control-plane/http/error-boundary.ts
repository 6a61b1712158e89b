import type { Context, Next } from 'koa'
import type { App } from '../app.ts'
import { ApiError, type ErrorBody, errorBody } from './errors.ts'

/** Every error ends here: the caller's in full, ours logged once with its cause and shown bare. */
export const errorBoundary =
  (app: App, draining: AbortSignal) =>
  async (ctx: Context, next: Next): Promise<void> => {
    if (draining.aborted) ctx.set('connection', 'close')
    try {
      await next()
    } catch (error) {
      if (error instanceof ApiError) {
        ctx.set(error.headers)
        return answer(ctx, errorBody(error.status, error.message, error.attributes))
      }
      app.log.error(
        { err: error, requestId: ctx.state['requestId'], method: ctx.method, route: ctx.state['route'] },
        'A request failed',
      )
      answer(ctx, errorBody(500, 'Internal Server Error'))
    }
  }

const answer = (ctx: Context, body: ErrorBody): void => {
  ctx.status = body.statusCode
  ctx.set('content-type', 'application/json; charset=utf-8')
  ctx.body = JSON.stringify(body)
}
