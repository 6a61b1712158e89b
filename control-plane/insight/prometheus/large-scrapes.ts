import { boundedCache } from '../../../protocol/bounded-memo.ts'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import type { Piece } from './families.ts'

/** Of text as Prometheus unpacks it; its own `body_size_limit` is often less than what ten thousand checks say. */
const largeBytes = 20_000_000
const sayEveryMs = 24 * 60 * 60 * 1000

const saidAt = perApp(() => boundedCache<string, number>(10_000))

/** Passes the text on, and says once a day of an account that it is large, and what makes it smaller. */
export async function* watchedSize(
  app: App,
  accountId: string,
  pieces: AsyncIterable<Piece>,
): AsyncGenerator<Piece> {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += Buffer.byteLength(piece)
    yield piece
  }
  const now = app.clock.now()
  const before = saidAt(app).get(accountId)
  if (bytes <= largeBytes || (before !== undefined && now - before < sayEveryMs)) return
  saidAt(app).set(accountId, now)
  app.log.warn(
    { accountId, megabytes: Math.round(bytes / 1e6) },
    'A scrape is large: native histograms are a third of it, histograms=false leaves out most, and body_size_limit of Prometheus has to be above it',
  )
}
