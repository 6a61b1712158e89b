import type { Context, Next } from 'koa'
import type { App } from '../../../app/app.ts'
import { ApiError, type ErrorBody, errorBody } from '../../../words/errors.ts'
import { errorPage } from '../../html/error-page.ts'
import { artifactErrorAnswer } from './artifact-error-answer.ts'
import { type Explanation, storeErrorAnswer } from './store-error-answer.ts'

type RequestFacts = { requestId: unknown; method: string | undefined; route: unknown }

/** What the caller is told of an error: the caller's own in full, ours bare, logged once with its cause. */
export type TellError = (
  error: unknown,
  where: RequestFacts,
) => { headers: Record<string, string>; body: ErrorBody; explanation?: Explanation }

export const createTellError =
  (app: App): TellError =>
  (error, where) => {
    const own = error instanceof ApiError ? error : artifactErrorAnswer(app, error)
    const ofStore = own === null ? storeErrorAnswer(app, error) : null
    const told = own ?? ofStore?.told
    if (told !== undefined)
      return {
        headers: told.headers,
        body: errorBody(told.status, told.message, told.attributes),
        ...(ofStore === null ? {} : { explanation: ofStore.explanation }),
      }
    app.log.error({ err: error, ...where }, 'A request failed')
    return { headers: {}, body: errorBody(500, 'Internal Server Error') }
  }

/** Every error ends here. */
export const errorBoundary =
  (tellError: TellError, draining: AbortSignal) =>
  async (ctx: Context, next: Next): Promise<void> => {
    if (draining.aborted) ctx.set('connection', 'close')
    try {
      await next()
    } catch (error) {
      const { requestId, route } = ctx.state
      const { headers, body, explanation } = tellError(error, { requestId, method: ctx.method, route })
      ctx.set(headers)
      // What was refused before its body had come is not read to its end.
      if (!ctx.req.complete) ctx.set('connection', 'close')
      if (body.statusCode === 303) ctx.status = 303
      else if (wantsPage(ctx)) answerPage(ctx, body, explanation)
      else answer(ctx, body)
    }
  }

/** Programs do not ask for HTML; routes for programs answer as they say, whoever asks. */
const wantsPage = ({ headers: { accept = '' }, state }: Context): boolean =>
  accept.includes('text/html') && (state['route'] === undefined || state['answersPages'] === true)

const answerPage = (ctx: Context, body: ErrorBody, explanation: Explanation | undefined): void => {
  const { text, headers } = errorPage(body, explanation)
  ctx.status = body.statusCode
  ctx.set(headers)
  ctx.body = text
}

const answer = (ctx: Context, body: ErrorBody): void => {
  ctx.status = body.statusCode
  ctx.set('content-type', 'application/json; charset=utf-8')
  ctx.body = JSON.stringify(body)
}
