/**
 * PostgreSQL and engines that speak its protocol. Named queries run as named prepared statements; a transaction that
 * loses a conflict (serialization failure, deadlock) is run again, and so is a statement alone.
 */
import pg from 'pg'
import type { Database } from './db.ts'
import { type Engine, engines } from './engines.ts'
import { beginWith, isPooled, type PoolerMode } from './pooler.ts'
import { createPrimarySearch, requireWrites } from './primary-search.ts'
import { mustTakeWrites, serverAddresses } from './server-addresses.ts'
import { type StatementWatch, unwatched } from './statement-watch.ts'
import { dbOver, type Runner, type Statement } from './store.ts'

type Client = { query(what: string | pg.QueryConfig): Promise<pg.QueryResult> }

/** Serialization failure and deadlock (PostgreSQL appendix A): nothing happened, try again. */
const retryable = new Set(['40001', '40P01'])
const maxTries = 8

/** Of a connection, also of waiting for one that is free: callers give up not much later. */
const connectWithinMs = 10_000

/** A statement that the server itself did not end in its time (engines.ts): the connection hangs, and is given up. */
const answerWithinMs = 12_000

/**
 * `engine`: a row of what speaks the same protocol; `session`: settings in place of those of the engine; `pooler`: what is in
 * front of the server, found out by the first connection where it is not said: a pooler is taken for one in transaction mode.
 */
export type PostgresOptions = {
  pooler?: PoolerMode | null
  engine?: Engine
  poolSize?: number
  answerWithinMs?: number
  session?: Record<string, string>
  watch?: StatementWatch
}

/** A connection that breaks between two statements fails the next one; without a listener it would end the process. */
const failsLater = (): void => undefined

type Connect = () => Promise<pg.PoolClient>

/** Of one server; of several, of the one that takes writes, looked for again when a connection fails. */
const connectTo = (pool: pg.Pool, addresses: readonly string[]): Connect => {
  if (addresses.length < 2) return () => pool.connect()
  const search = createPrimarySearch(addresses)
  let isKnown = true
  const find = async (): Promise<void> => {
    isKnown = false
    // The pool opens its next connection with what stands here.
    pool.options.connectionString = await search()
    isKnown = true
  }
  return async () => {
    if (!isKnown) await find()
    const address = pool.options.connectionString
    return pool.connect().catch(async (error: unknown) => {
      await find()
      if (pool.options.connectionString === address) throw error
      return pool.connect()
    })
  }
}

/** A statement alone; its connection is given up when it fails. */
const alone = (connect: Connect): Client => ({
  query: async (what) => {
    const client = await connect()
    client.on('error', failsLater)
    let failure: Error | undefined
    try {
      return await client.query(what as pg.QueryConfig)
    } catch (error) {
      failure = error as Error
      throw error
    } finally {
      client.off('error', failsLater)
      client.release(failure)
    }
  },
})

export const openPostgres = (url: string, options: PostgresOptions = {}): Database => {
  const { watch = unwatched, engine = engines.postgres } = options
  const session = { ...engine.session, ...options.session }
  let pooler: PoolerMode | null = options.pooler ?? null
  const addresses = serverAddresses(url)
  const pool = new pg.Pool({
    connectionString: addresses[0],
    max: options.poolSize ?? 10,
    types: numberTypes,
    connectionTimeoutMillis: connectWithinMs,
    query_timeout: options.answerWithinMs ?? answerWithinMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    onConnect: async (client) => {
      if (mustTakeWrites(url)) await requireWrites(client)
      pooler ??= (await isPooled(client)) ? 'transaction' : 'session'
      if (pooler === 'session') await prepareSession(client, session)
    },
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined)
  const connect = connectTo(pool, addresses)
  const from = { connect, watch, begin: () => (pooler === 'transaction' ? beginWith(session) : 'begin') }
  const once = triedAgain(runnerOver(alone(connect), { watch }))
  const run: Runner = async (statement) => {
    // Until a connection is open nobody knows what is in front of the server.
    if (pooler === null) (await connect()).release()
    return pooler === 'session' ? once(statement) : transact(from, (inside) => inside(statement))
  }
  return {
    ...dbOver(engine, run),
    transaction: (work, how) => transact(from, (inside) => work(dbOver(engine, inside)), how),
    fitToDisk: () => undefined,
    giveBack: async () => undefined,
    runAlone: async (text, { unhurried } = { unhurried: false }) => {
      const client = await connect()
      client.on('error', failsLater)
      try {
        // A pooler's connection has no limit of ours outside of a transaction, and would keep what was set.
        if (unhurried && pooler === 'session') await client.query("set statement_timeout = '0'")
        await client.query({ text, ...(unhurried ? { query_timeout } : {}) } as pg.QueryConfig)
      } finally {
        // With the setting, and with what it may still wait for.
        client.release(true)
      }
    },
    checkpoint: () => undefined,
    close: () => pool.end(),
  }
}

const prepareSession = async (client: pg.ClientBase, session: Record<string, string>): Promise<void> => {
  const settings = Object.entries(session)
  const calls = settings.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`)
  await client.query({ text: `select ${calls.join(', ')}`, values: settings.flat() })
}

type Transactions = {
  connect: Connect
  watch: StatementWatch
  /** What begins one, known once a connection is open; with settings of its own it prepares nothing. */
  begin: () => string
}

const transact = async <T>(
  { connect, watch, begin }: Transactions,
  work: (run: Runner) => Promise<T>,
  { unhurried = false } = {},
): Promise<T> => {
  let isStale = false
  for (let tries = 1; ; tries++) {
    const client = await connect()
    client.on('error', failsLater)
    let broken: Error | undefined
    try {
      const text = begin()
      await client.query(text)
      if (unhurried) await client.query("set local statement_timeout = '0'")
      const unprepared = isStale || text !== 'begin'
      const value = await work(
        runnerOver(client, { watch, unprepared, ...(unhurried ? { config: { query_timeout } } : {}) }),
      )
      await commit(client)
      return value
    } catch (error) {
      isStale ||= isStalePlan(error)
      broken = isGivenUp(error) ? (error as Error) : await undo(client, error)
      if (!isRetryable(error) || tries >= maxTries) throw error
    } finally {
      client.off('error', failsLater)
      client.release(broken)
    }
  }
}

/** A transaction in which a statement failed is rolled back by its commit, which says so and is no error. */
const commit = async (client: Client): Promise<void> => {
  const { command } = await client.query('commit')
  if (command !== 'COMMIT')
    throw new Error('The transaction was rolled back: one of its statements had failed')
}

/** Of the driver: it has none that means never. */
const query_timeout = 24 * 3_600_000

/** Returns why the connection cannot be used any more; one that hangs would not answer to this either. */
const undo = async (client: Client, error: unknown): Promise<Error | undefined> => {
  if (error instanceof Error && error.message === 'Query read timeout') return error
  return client.query('rollback').then(
    () => undefined,
    (failure: Error) => failure,
  )
}

const isRetryable = (error: unknown): boolean => retryable.has(codeOf(error)) || isStalePlan(error)

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''

/**
 * A newer program has changed a table that a prepared statement of this connection reads (feature not supported): nothing happened.
 * Other connections have statements of before as well, so it is tried again without any; this one is given up.
 */
const isStalePlan = (error: unknown): boolean =>
  codeOf(error) === '0A000' && /cached plan must not change result type/.test((error as Error).message)

/** The connection leads to a server that was the primary (read only transaction), or has statements of before. */
const isGivenUp = (error: unknown): boolean => isStalePlan(error) || codeOf(error) === '25006'

/** Of statements outside of a transaction, each of which is one of its own. */
const triedAgain =
  (run: Runner): Runner =>
  async (statement) => {
    let unprepared = false
    for (let tries = 1; ; tries++)
      try {
        return await run(unprepared ? unnamed(statement) : statement)
      } catch (error) {
        unprepared ||= isStalePlan(error)
        if (!isRetryable(error) || tries >= maxTries) throw error
      }
  }

const unnamed = (statement: Statement): Statement => ({
  ...statement,
  prepared: { ...statement.prepared, statement: null },
})

type RunnerOptions = {
  watch: StatementWatch
  config?: { query_timeout?: number }
  /** Without prepared statements. */
  unprepared?: boolean
}

const runnerOver =
  (client: Client, { watch, config = {}, unprepared = false }: RunnerOptions): Runner =>
  async ({ prepared, params }: Statement) => {
    const { sql: text, statement: name } = prepared
    const values = prepared.values(params)
    const startedAt = watch.monotonic()
    try {
      const result = await client.query({
        ...config,
        ...(name === null || unprepared ? {} : { name }),
        text,
        values,
      })
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
