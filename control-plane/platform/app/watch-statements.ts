/** The store's guard: every statement is measured, and one that took long is named in the log. */
import type { Logger } from 'pino'
import type { StatementWatch } from '../store/database/statement-watch.ts'
import { type HasMetrics, histogram } from './metrics.ts'

/** On SQLite nothing else is done for as long as a statement takes. */
const longMs = 100
/** Said so often, however many statements take long. */
const sayEveryMs = 60_000
const maxSqlLength = 500

export const statementMetrics = {
  seconds: histogram({
    name: 'watchpost_store_statement_seconds',
    help: 'Time of each statement of the store by kind: read, write, commit. With SQLite nothing else is done meanwhile',
    labels: ['kind'],
    buckets: [0.0001, 0.0005, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2.5],
  }),
}

type Parts = HasMetrics & { log: Logger; monotonic(): number }

export const watchStatements = ({ metrics, log, monotonic }: Parts): StatementWatch => {
  const seconds = statementMetrics.seconds({ metrics })
  const ofKind = {
    read: seconds.labels('read'),
    write: seconds.labels('write'),
    commit: seconds.labels('commit'),
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
