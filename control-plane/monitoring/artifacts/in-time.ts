/** What bounds the writing of what clients send: its time, and the room of the store. */
import type { App } from '../../platform/app/app.ts'
import { ApiError } from '../../platform/words/errors.ts'

/** A body that takes longer is cut: whoever trickles bytes holds nothing for long. */
const bodyWithinMs = 90_000

/** Work on a body, whose signal aborts when `signal` does or the time is over. */
export const inTime = async <T>(
  app: App,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const done = new AbortController()
  const late = new AbortController()
  app.clock.sleep(bodyWithinMs, done.signal).then(() => {
    if (!done.signal.aborted) late.abort()
  })
  try {
    return await work(AbortSignal.any([signal, late.signal]))
  } finally {
    done.abort()
  }
}

const full = ['ENOSPC', 'EDQUOT']

/** @throws ApiError 507 when the store is full */
export const writing = async <T>(app: App, write: () => Promise<T>): Promise<T> => {
  try {
    return await write()
  } catch (error) {
    if (!full.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    app.log.error(
      { err: error },
      'There is no room for artifacts (ARTIFACTS_URL); agents keep theirs and try again',
    )
    throw new ApiError(507, 'There is no room for artifacts', { headers: { 'retry-after': '60' } })
  }
}
