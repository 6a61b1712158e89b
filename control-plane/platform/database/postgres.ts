/**
 * PostgreSQL and engines that speak its protocol. Named queries run as named prepared statements; a transaction that
 * loses a conflict (serialization failure, deadlock) is run again.
 */
import pg from 'pg'
import type { Database, Db } from './db.ts'
import { engines } from './engines.ts'
import { type StatementWatch, unwatched } from './statement-watch.ts'
import { dbOver, type Runner, type Statement } from './store.ts'

type Client = Pick<pg.ClientBase, 'query'>

/** Serialization failure and deadlock (PostgreSQL appendix A): nothing happened, try again. */
const retryable = new Set(['40001', '40P01'])
const maxTries = 8

/** Of a connection, also of waiting for one that is free: callers give up not much later. */
const connectWithinMs = 10_000

/** A connection that breaks between two statements fails the next one; without a listener it would end the process. */
const failsLater = (): void => undefined

const poolSize = 10

export const openPostgres = (url: string, watch: StatementWatch = unwatched): Database => {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    types: numberTypes,
    connectionTimeoutMillis: connectWithinMs,
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined)
  return {
    ...dbOver(engines.postgres, runnerOver(pool, watch)),
    transaction: (work) => transact({ pool, watch }, work),
    close: () => pool.end(),
  }
}

type WatchedPool = { pool: pg.Pool; watch: StatementWatch }

const transact = async <T>({ pool, watch }: WatchedPool, work: (trx: Db) => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++) {
    const client = await pool.connect()
    client.on('error', failsLater)
    let broken: Error | undefined
    try {
      await client.query('begin')
      const value = await work(dbOver(engines.postgres, runnerOver(client, watch)))
      await client.query('commit')
      return value
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure
      })
      if (!isRetryable(error) || tries >= maxTries) throw error
    } finally {
      client.off('error', failsLater)
      client.release(broken)
    }
  }
}

const isRetryable = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && retryable.has(String(error.code))

const runnerOver =
  (client: Client, watch: StatementWatch): Runner =>
  async ({ prepared, params }: Statement) => {
    const { sql: text, statement: name } = prepared
    const values = prepared.values(params)
    const startedAt = watch.monotonic()
    try {
      const result = await client.query(name === null ? { text, values } : { name, text, values })
      return { rows: result.rows, changes: result.rowCount ?? 0 }
    } finally {
      const kind = prepared.writes ? 'write' : 'read'
      watch.note({ name: prepared.name, sql: text, kind }, watch.monotonic() - startedAt)
    }
  }

const int8 = 20
const numeric = 1700
const numberTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === int8 || oid === numeric ? Number : pg.types.getTypeParser(oid, format as 'text'),
}
