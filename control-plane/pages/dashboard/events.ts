/**
 * A stream per tab that says which checks have new results: their ids and nothing else. Pages fetch anew what they show of them, through
 * the same routes as before. Bounded per session, per address and in all, and in what nobody reads: tabs left open cost a socket each and no more.
 */

import { PassThrough } from 'node:stream'
import { perApp } from '../../platform/app/per-app.ts'
import type { Bytes } from '../../platform/web/http/answers/serialize.ts'
import { sessionOf } from '../../platform/web/http/auth/session.ts'
import { type Reply, reply } from '../../platform/web/http/route.ts'
import { ApiError } from '../../platform/words/errors.ts'
import type { PageApp, RequestContext } from './request-context.ts'

const maxPerSession = 8
/** Whoever signs in often has many sessions. */
export const maxOfAddress = 200
export const maxStreams = 1000
/** Of what a browser has not taken: then it is gone, or does harm. */
const maxWaiting = 16 * 1024
/** More are said as one star. */
const maxIds = 50
/** Proxies and browsers take a silent connection for a dead one. */
const pauseMs = 15_000
const gatherMs = 1000
/** Then the browser opens a new one: what froze somewhere on the way is gone. */
const longestMs = 30 * 60_000

type Listener = { accountId: string; sessionId: string; address: string; ids: Set<string>; wake: () => void }

const hubOf = perApp((app: PageApp) => {
  const listeners = new Set<Listener>()
  app.finishedRuns.listen((runs) => {
    if (listeners.size === 0) return
    for (const listener of listeners) {
      for (const { accountId, checkId } of runs)
        if (accountId === listener.accountId && listener.ids.size <= maxIds) listener.ids.add(checkId)
      if (listener.ids.size > 0) listener.wake()
    }
  })
  return listeners
})

export const eventStream = async (context: RequestContext): Promise<Reply<Bytes>> => {
  const { accountId, keyId: sessionId } = context.principal
  const listeners = hubOf(context.app)
  const { address } = context.input
  const all = [...listeners]
  const own = all.filter((each) => each.sessionId === sessionId).length
  const ofAddress = all.filter((each) => each.address === address).length
  if (own >= maxPerSession || ofAddress >= maxOfAddress || all.length >= maxStreams)
    throw new ApiError(503, 'Too many pages are open', { headers: { 'retry-after': '60' } })
  const stream = new PassThrough()
  const listener: Listener = { accountId, sessionId, address, ids: new Set(), wake: () => undefined }
  listeners.add(listener)
  void pump(context, stream, listener)
    .catch((error: unknown) => context.app.log.warn({ err: error }, 'A stream of the dashboard was ended'))
    .finally(() => {
      listeners.delete(listener)
      stream.end()
    })
  return reply(stream, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    },
  })
}

const pump = async (
  { app, input: { signal, headers } }: RequestContext,
  stream: PassThrough,
  listener: Listener,
): Promise<void> => {
  stream.on('error', () => undefined)
  stream.write('retry: 10000\n\n')
  const endsAt = app.clock.monotonic() + longestMs
  while (!signal.aborted && app.clock.monotonic() < endsAt) {
    if (listener.ids.size === 0) await wakened(app, listener, signal)
    if (signal.aborted || stream.readableLength + stream.writableLength > maxWaiting) return
    // Signed out elsewhere, or shut out: nothing more is told.
    if ((await sessionOf(app, headers)) === null) return
    if (listener.ids.size === 0) stream.write(': still here\n\n')
    else {
      await app.clock.sleep(gatherMs, signal)
      const ids = [...listener.ids]
      listener.ids.clear()
      stream.write(`event: results\ndata: ${ids.length > maxIds ? '*' : ids.join(' ')}\n\n`)
    }
  }
}

/** Until there is something to say, the pause is over or nobody listens any more. */
const wakened = async (
  app: RequestContext['app'],
  listener: Listener,
  signal: AbortSignal,
): Promise<void> => {
  const pause = new AbortController()
  const { promise, resolve } = Promise.withResolvers<void>()
  listener.wake = resolve
  const end = (): void => pause.abort()
  signal.addEventListener('abort', end, { once: true })
  await Promise.race([promise, app.clock.sleep(pauseMs, pause.signal)])
  pause.abort()
  signal.removeEventListener('abort', end)
  listener.wake = () => undefined
}
