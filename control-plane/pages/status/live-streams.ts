/**
 * Streams of events (WHATWG server-sent events) that tell visitors when a page has changed, and nothing more. Bounded in all and per address;
 * who gets none asks once a minute. One loop serves them all: a stream that is open costs its socket and one entry here.
 */
import { Readable } from 'node:stream'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { cachedVersion } from './cached-pages.ts'

export const maxStreams = 5000
export const maxOfAddress = 40
/** Then the browser opens a new one: what froze somewhere on the way is gone. */
const longestMs = 15 * 60_000
const beatMs = 20_000
/** Of what a visitor has not taken. */
const maxWaiting = 4096

type Stream = { url: string; address: string; body: Readable; sent: string; since: number; beatAt: number }

const streamsOf = perApp(() => new Set<Stream>())
export const openStreams = (app: App): number => streamsOf(app).size

type Opening = {
  url: string
  version: string
  address: string
  lastEventId: string | undefined
  signal: AbortSignal
}

/** @throws ApiError 503 where there are too many */
export const openStream = (app: App, { url, version, address, lastEventId, signal }: Opening): Readable => {
  const streams = streamsOf(app)
  const ofAddress = [...streams].filter((stream) => stream.address === address).length
  if (streams.size >= maxStreams || ofAddress >= maxOfAddress)
    throw new ApiError(503, 'Too many streams are open', { headers: { 'retry-after': '60' } })
  const now = app.clock.now()
  const body = new Readable({ read: () => undefined })
  const stream: Stream = { url, address, body, sent: version, since: now, beatAt: now }
  streams.add(stream)
  const close = (): void => {
    streams.delete(stream)
    body.push(null)
  }
  signal.addEventListener('abort', close, { once: true })
  body.once('close', () => streams.delete(stream))
  body.push('retry: 5000\n\n')
  // Whoever saw an older page learns at once that there is a newer one.
  body.push(lastEventId === undefined || lastEventId === version ? idLine(version) : changeEvent(version))
  return body
}

/** An id without data is remembered by the browser, and is no event. */
const idLine = (version: string): string => `id: ${version}\n: \n\n`
const changeEvent = (version: string): string => `event: change\nid: ${version}\ndata: ${version}\n\n`

export const liveTick = async (app: App): Promise<void> => {
  const byPage = Map.groupBy(streamsOf(app), ({ url }) => url)
  for (const [url, streams] of byPage) {
    const version = await cachedVersion(app, url)
    for (const stream of streams) serve(app, stream, version)
  }
}

const serve = (app: App, stream: Stream, version: string | null): void => {
  const now = app.clock.now()
  const { body } = stream
  if (version === null || now - stream.since > longestMs || body.readableLength > maxWaiting) {
    streamsOf(app).delete(stream)
    body.push(null)
    return
  }
  if (stream.sent !== version) body.push(changeEvent(version))
  else if (now - stream.beatAt >= beatMs) body.push(': \n\n')
  else return
  stream.sent = version
  stream.beatAt = now
}
