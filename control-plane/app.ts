/**
 * `App` is what every handler, loop and query function is given: configuration, store, clock, ids, log. Built once by
 * main.ts (and by tests, with a fake clock and ids). The only composition root of the control plane.
 */
import type { Logger } from 'pino'
import type { Cipher } from './cipher.ts'
import type { Config } from './config.ts'
import type { Database } from './database/db.ts'
import type { Wakeups } from './runs/wakeups.ts'

export type Clock = {
  /** Epoch milliseconds. */
  now(): number
  /** Milliseconds that never go back, for durations. */
  monotonic(): number
  /** Resolves after `ms`, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export type App = {
  config: Config
  db: Database
  clock: Clock
  log: Logger
  /** A random UUID. */
  newId(): string
  randomBytes(size: number): Buffer
  cipher: Cipher
  /** Wakes agents that wait for jobs in a location. */
  wakeups: Wakeups
}
