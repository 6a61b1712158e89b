/**
 * People do not wait for a store that does not answer at all, as one that is frozen, until connections to it are given up: a page that
 * takes long is asked after, and when the store does not answer a question that costs nothing either, the page says so. One
 * that is only slow goes on.
 */
import type { App } from '../../../app/app.ts'
import { storeSilence } from '../../../store/database/store-error.ts'
import { probeStore } from './store-reach.ts'

/** Together less than the two seconds in which a page says what is wrong. */
const askAfterMs = 700
const answerWithinMs = 900

/** The work of a request for a page. @throws the error of a store that does not answer */
export const createStorePatience = (app: App): (<T>(work: Promise<T>) => Promise<T>) => {
  let asking: Promise<boolean> | null = null
  const ask = (): Promise<boolean> => {
    asking ??= probeStore(app).finally(() => {
      asking = null
    })
    return asking
  }
  const silence = async (done: AbortSignal): Promise<void> => {
    for (;;) {
      await app.clock.sleep(askAfterMs, done)
      if (done.aborted) return
      const late = app.clock.sleep(answerWithinMs, done).then(() => null)
      const answered = await Promise.race([ask(), late])
      if (answered === null && !done.aborted) throw storeSilence()
    }
  }
  return async (work) => {
    const done = new AbortController()
    try {
      return await Promise.race([work, silence(done.signal).then(() => work)])
    } finally {
      done.abort()
    }
  }
}
