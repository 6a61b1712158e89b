/**
 * `App` is what every handler, loop and query function is given: what most of them need, and nothing of any slice. A service
 * that few need is asked for by its own type beside it: `app: App & HasMail`. `create-app.ts` composes the
 * whole once. What a slice keeps in memory for itself it keeps with `perApp`.
 */
import type { Logger } from 'pino'
import type { Clock } from '../../../protocol/clock.ts'
import type { Config } from '../settings/config.ts'
import type { Database } from '../store/database/db.ts'

export type App = {
  config: Config
  db: Database
  clock: Clock
  log: Logger
  /** A UUID that grows with time (uuid.ts) and cannot be guessed. */
  newId(): string
}
