import type { Clock } from '../../../protocol/clock.ts'
import { codeOf } from './failures.ts'
import { type Address, type Lookup, OnlyOtherFamily } from './lookup.ts'

/** A better sentence is not worth waiting longer. */
const waitMs = 1000

type FallbackOptions = {
  clock: Pick<Clock, 'sleep'>
  /** Asks the machine's name servers themselves, where `lookup` leaves that to the machine. */
  askServers?: Lookup
}

/**
 * Resolvers of machines say the same of a name that does not exist and of one without an address of a family, and of a name
 * server that failed and of one that was silent. A second question, only after a failure, tells them apart: the lookup
 * then rejects with OnlyOtherFamily, or with what the server answered.
 */
export const withLookupFallback =
  (lookup: Lookup, { clock, askServers }: FallbackOptions): Lookup =>
  async (host, family) => {
    try {
      return await lookup(host, family)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const code = codeOf(error)
      const other = family === 4 ? 6 : 4
      if (code === 'ENOTFOUND' || code === 'ENODATA') {
        const found = await within(clock, () => lookup(host, other))
        throw Array.isArray(found) && found.length > 0 ? new OnlyOtherFamily(other, { cause: error }) : error
      }
      if (code !== 'EAI_AGAIN' || askServers === undefined) throw error
      const answer = await within(clock, () => askServers(host, family))
      throw answer instanceof Error && serverWords.has(codeOf(answer)) ? answer : error
    }
  }

/** What a name server says of itself. */
const serverWords = new Set(['ESERVFAIL', 'EREFUSED'])

/** What the question brought, null if it took too long. */
const within = async (
  clock: FallbackOptions['clock'],
  ask: () => ReturnType<Lookup>,
): Promise<Address[] | Error | null> => {
  const over = new AbortController()
  const answer = ask().catch((error: unknown) => (error instanceof Error ? error : null))
  const late = clock.sleep(waitMs, over.signal).then(() => null)
  return Promise.race([answer, late]).finally(() => over.abort())
}
