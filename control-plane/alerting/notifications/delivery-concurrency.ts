/**
 * How many notifications are on their way at once: overall, and less of that per account, per channel and, where all
 * channels of a type share one server, per type. A receiver that stalls fills its own share and nobody else's.
 */
import type { SaturatedTargets } from './outbox-queries.ts'

type Delivery = { account_id: string; channel_id: number; type: string }

export type DeliveryConcurrency = {
  /** False: no room for this one. */
  take(one: Delivery): boolean
  give(one: Delivery): void
  isFull(): boolean
  busy(): SaturatedTargets
}

const overall = 256
const perAccount = 128
const perChannel = 32
/** Mails go to one server, which counts connections. */
const perType = new Map([['EMAIL', 8]])

export const createDeliveryConcurrency = (): DeliveryConcurrency => {
  const channels = new Map<number, number>()
  const accounts = new Map<string, number>()
  const types = new Map<string, number>()
  let total = 0
  const isFull = () => total >= overall
  const limitOf = (type: string) => perType.get(type) ?? overall
  return {
    isFull,
    busy: () => ({
      channels: reached(channels, () => perChannel),
      accounts: reached(accounts, () => perAccount),
      types: reached(types, limitOf),
    }),
    take: ({ account_id, channel_id, type }) => {
      if (
        isFull() ||
        countOf(channels, channel_id) >= perChannel ||
        countOf(accounts, account_id) >= perAccount ||
        countOf(types, type) >= limitOf(type)
      )
        return false
      total += 1
      add(channels, channel_id, 1)
      add(accounts, account_id, 1)
      add(types, type, 1)
      return true
    },
    give: ({ account_id, channel_id, type }) => {
      total -= 1
      add(channels, channel_id, -1)
      add(accounts, account_id, -1)
      add(types, type, -1)
    },
  }
}

const countOf = <K>(counts: Map<K, number>, key: K): number => counts.get(key) ?? 0

const add = <K>(counts: Map<K, number>, key: K, by: number): void => {
  const count = countOf(counts, key) + by
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}

const reached = <K>(counts: Map<K, number>, limitOf: (key: K) => number): K[] =>
  [...counts].filter(([key, count]) => count >= limitOf(key)).map(([key]) => key)
