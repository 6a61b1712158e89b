import type { Clock } from '../../../protocol/clock.ts'
import { codeOf } from './failures.ts'
import { type Lookup, OnlyOtherFamily } from './lookup.ts'

/** Nobody waits longer for a better sentence. */
const waitMs = 1000

/**
 * Resolvers of machines say the same of a name that does not exist and of one without an address of a family. The second
 * question, only after a failure, tells them apart: the lookup then rejects with OnlyOtherFamily.
 */
export const withLookupFallback =
  (lookup: Lookup, clock: Pick<Clock, 'sleep'>): Lookup =>
  async (host, family) => {
    try {
      return await lookup(host, family)
    } catch (error) {
      if (!(error instanceof Error) || !['ENOTFOUND', 'ENODATA'].includes(codeOf(error))) throw error
      const other = family === 4 ? 6 : 4
      throw (await hasAddress(() => lookup(host, other), clock))
        ? new OnlyOtherFamily(other, { cause: error })
        : error
    }
  }

const hasAddress = async (ask: () => ReturnType<Lookup>, clock: Pick<Clock, 'sleep'>): Promise<boolean> => {
  const over = new AbortController()
  const found = ask().then(
    (addresses) => addresses.length > 0,
    // The failure of the first question is the one to tell.
    () => false,
  )
  const late = clock.sleep(waitMs, over.signal).then(() => false)
  return Promise.race([found, late]).finally(() => over.abort())
}
