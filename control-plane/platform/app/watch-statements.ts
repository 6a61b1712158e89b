/** The guard at the store's door: every statement is measured, and one that took long is named in the log. */
import type { Logger } from 'pino'
import type { StatementWatch } from '../store/database/statement-watch.ts'
import type { Metrics } from './metrics.ts'

/** On SQLite nothing else is done for as long as a statement takes. */
const longMs = 100
/** Said so often, however many statements take long. */
const sayEveryMs = 60_000
const maxSqlLength = 500

type Doors = { metrics: Metrics; log: Logger; monotonic(): number }

export const watchStatements = ({ metrics, log, monotonic }: Doors): StatementWatch => {
  const { storeStatementSeconds } = metrics
  const ofKind = {
    read: storeStatementSeconds.labels('read'),
    write: storeStatementSeconds.labels('write'),
    commit: storeStatementSeconds.labels('commit'),
  }
  let quietUntil = Number.NEGATIVE_INFINITY
  let unsaid = 0
  return {
    monotonic,
    note: ({ name, sql, kind }, durationMs) => {
      ofKind[kind].observe(durationMs / 1000)
      if (durationMs < longMs) return
      const now = monotonic()
      if (now < quietUntil) {
        unsaid += 1
        return
      }
      // Its text has no values: they are parameters.
      const statement = { name, sql: sql.slice(0, maxSqlLength), kind }
      log.warn({ ...statement, durationMs: Math.round(durationMs), unsaid }, 'A statement took long')
      quietUntil = now + sayEveryMs
      unsaid = 0
    },
  }
}
