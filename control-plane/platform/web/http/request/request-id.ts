import type { IncomingMessage } from 'node:http'
import type { Context, Next } from 'koa'
import type { App } from '../../../app/app.ts'

const sane = /^[A-Za-z0-9._:-]{1,128}$/

/** The caller's `x-request-id` if it is a sane one, else ours; echoed, and named in every log line about the request. */
export const createRequestIds = (app: App): ((request: IncomingMessage) => string) => {
  // A life of this program and a number in it: unique, and cheaper than a random id per request.
  const life = app.newId()
  let requests = 0
  return ({ headers }) => {
    const given = headers['x-request-id']
    return typeof given === 'string' && sane.test(given) ? given : `${life}.${++requests}`
  }
}

export const requestId = (idOf: (request: IncomingMessage) => string) => (ctx: Context, next: Next) => {
  const id = idOf(ctx.req)
  ctx.state['requestId'] = id
  ctx.res.setHeader('x-request-id', id)
  return next()
}
