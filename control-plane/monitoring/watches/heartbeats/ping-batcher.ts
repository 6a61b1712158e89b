/**
 * Pings are taken together: while one transaction is on its way, those that come wait for the next one and share it. A
 * ping's promise resolves once it is durable.
 */

import type { App } from '../../../platform/app/app.ts'
import { perApp } from '../../../platform/app/per-app.ts'
import type { Database } from '../../../platform/store/database/db.ts'
import type { FinishedRuns, HasFinishedRuns } from '../../outcomes/finished-runs.ts'
import { type Ping, type PingOutcome, storePings } from './store-pings.ts'

type PingBatcher = {
  /** Undefined when no check has the token. */
  take(ping: Ping): Promise<PingOutcome | undefined>
}

type QueuedPing = {
  ping: Ping
  resolve: (taken: PingOutcome | undefined) => void
  reject: (reason: unknown) => void
}

/** Keeps a transaction, and with it every other writer, short. */
const maxPerTransaction = 500

type Surroundings = { newId(): string } & Pick<FinishedRuns, 'publish'>

export const createPingBatcher = (db: Database, { newId, publish }: Surroundings): PingBatcher => {
  const waiting: QueuedPing[] = []
  let flushing = false

  /** `next`: asked when the transaction begins, so that those that came until then share it; once, whatever is run again. */
  const takeTogether = async (next: () => QueuedPing[]): Promise<void> => {
    let batch: QueuedPing[] | undefined
    try {
      const taken = await db.transaction((trx) => {
        batch ??= next()
        const pings = batch.map(({ ping }) => ping)
        return storePings(trx, pings, newId)
      })
      for (const [position, { resolve }] of (batch ?? []).entries()) resolve(taken[position])
      publish(taken.flatMap((outcome) => outcome?.finished ?? []))
    } catch (error) {
      // No transaction may have begun at all.
      batch ??= next()
      // Nothing of it is stored. Each by itself, so that one that cannot be taken spoils no other.
      if (batch.length > 1) await Promise.all(batch.map((one) => takeTogether(() => [one])))
      else for (const { reject } of batch) reject(error)
    }
  }

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) await takeTogether(() => waiting.splice(0, maxPerTransaction))
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

export const pingBatcher = perApp(({ db, newId, finishedRuns }: App & HasFinishedRuns) =>
  createPingBatcher(db, { newId, publish: finishedRuns.publish }),
)
