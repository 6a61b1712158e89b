/** The store of a running program: the primary alone, or with a replica for reads that may be a little behind (`DATABASE_READ_URL`). */
import type { Logger } from 'pino'
import type { Config } from '../settings/config.ts'
import { type Attendance, attend, unknownAttendance } from '../store/database/attendance.ts'
import type { Database } from '../store/database/db.ts'
import { openDatabase, sqliteFile } from '../store/database/open.ts'
import { createReadReplica, type ReadReplica, type ReplicaState } from '../store/database/read-replica.ts'
import { replicatedDatabase } from '../store/database/replicated.ts'
import type { StatementWatch } from '../store/database/statement-watch.ts'
import type { App } from './app.ts'
import { counter, type HasMetrics } from './metrics.ts'
import { scrapedGauges } from './scraped-gauges.ts'

/** Null: there is none, and the primary answers everything. */
export type HasReadReplica = { readReplica: ReadReplica | null }

export const readReplicaMetrics = {
  lag: scrapedGauges({
    lagSeconds: [
      'watchpost_read_replica_lag_seconds',
      'How old what the replica of DATABASE_READ_URL shows is at most; none while it cannot be asked, and without one',
    ],
    usable: [
      'watchpost_read_replica_usable',
      '1 while the replica of DATABASE_READ_URL answers and is no further behind than DATABASE_READ_MAX_LAG_SECONDS, else 0; none without one',
    ],
  }),
  statements: counter({
    name: 'watchpost_read_replica_statements_total',
    help: 'Statements that the replica of DATABASE_READ_URL may answer, by the server that did: replica or primary',
    labels: ['server'],
  }),
}

type Parts = HasMetrics & {
  config: Config
  log: Logger
  watch: StatementWatch
  monotonic(): number
}

const sayings: Record<ReplicaState, string> = {
  usable: 'The replica of DATABASE_READ_URL answers reads that may be a little behind',
  behind:
    'The replica of DATABASE_READ_URL is further behind than DATABASE_READ_MAX_LAG_SECONDS: the primary answers everything',
  away: 'The replica of DATABASE_READ_URL cannot be asked: the primary answers everything',
}

/** A replica that comes and goes is said now and then. */
const quietMs = 60_000

const sayChanges = ({ log, monotonic }: Pick<Parts, 'log' | 'monotonic'>) => {
  const quietUntil = new Map<ReplicaState, number>()
  return (state: ReplicaState, error?: unknown): void => {
    const now = monotonic()
    const level = now < (quietUntil.get(state) ?? now) ? 'debug' : state === 'usable' ? 'info' : 'warn'
    if (level !== 'debug') quietUntil.set(state, now + quietMs)
    log[level](error === undefined ? {} : { err: error }, sayings[state])
  }
}

type OpenStore = { db: Database; attendance: Attendance } & HasReadReplica

export const openStore = (parts: Parts): OpenStore => {
  const { config, watch, monotonic } = parts
  const primary = openDatabase(config.databaseUrl, watch, config.databasePooler)
  const file = sqliteFile(config.databaseUrl)
  if (file !== null) return { ...attended(primary, attend(file)), readReplica: null }
  const attendance = unknownAttendance
  if (config.databaseRead === null) return { db: primary, attendance, readReplica: null }
  const { url, maxLagMs } = config.databaseRead
  const replica = openDatabase(url, watch)
  const onChange = sayChanges(parts)
  const readReplica = createReadReplica({ primary, replica, monotonic, maxLagMs, onChange })
  const statements = readReplicaMetrics.statements(parts)
  readReplicaMetrics.lag(parts)(async () => {
    const lagMs = readReplica.lagMs()
    return {
      lagSeconds: lagMs === null ? [] : lagMs / 1000,
      usable: readReplica.state() === 'usable' ? 1 : 0,
    }
  })
  const db = replicatedDatabase(primary, readReplica, (server) => statements.inc({ server }))
  return { db, attendance, readReplica }
}

const attended = (db: Database, attendance: Attendance): Pick<OpenStore, 'db' | 'attendance'> => ({
  attendance,
  db: { ...db, close: () => db.close().finally(attendance.leave) },
})

/** A loop's tick. */
export const readReplicaTick = async ({ readReplica }: App & HasReadReplica): Promise<void> => {
  await readReplica?.measure()
}
