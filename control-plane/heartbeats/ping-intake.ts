/**
 * Pings are taken together: while one transaction is on its way, those that come wait for the next one and share it. A
 * ping's promise resolves once it is durable.
 */
import type { Database } from '../database/db.ts'
import type { Happening } from './record-event.ts'
import { type TakenPing, takePings } from './take-pings.ts'

/** `token`: in lower case. */
export type Ping = Happening & { token: string }

export type PingIntake = {
  /** Undefined when no check has the token. */
  take(ping: Ping): Promise<TakenPing | undefined>
}

type Waiting = {
  ping: Ping
  resolve: (taken: TakenPing | undefined) => void
  reject: (reason: unknown) => void
}

/** Keeps a transaction, and with it every other writer, short. */
const maxPerTransaction = 500

export const createPingIntake = (db: Database, newId: () => string): PingIntake => {
  let waiting: Waiting[] = []
  let flushing = false

  const takeTogether = async (batch: Waiting[]): Promise<void> => {
    try {
      const pings = batch.map(({ ping }) => ping)
      const taken = await db.transaction((trx) => takePings(trx, pings, newId))
      for (const [position, { resolve }] of batch.entries()) resolve(taken[position])
    } catch (error) {
      // Nothing of it is stored. Each by itself, so that one that cannot be taken spoils no other.
      if (batch.length > 1) await Promise.all(batch.map((one) => takeTogether([one])))
      else for (const { reject } of batch) reject(error)
    }
  }

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxPerTransaction)
      waiting = waiting.slice(maxPerTransaction)
      await takeTogether(batch)
    }
    flushing = false
  }

  return {
    take: (ping) =>
      new Promise((resolve, reject) => {
        waiting.push({ ping, resolve, reject })
        if (flushing) return
        flushing = true
        // At the end of this turn: what else was read from the sockets in it comes along.
        setImmediate(flush)
      }),
  }
}
