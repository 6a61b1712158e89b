/**
 * SQLite: one writing and one reading connection to the same WAL file. Writers queue up and share a commit (group
 * commit): everything asked for in one turn of the event loop is one transaction, with a savepoint each where there are
 * several, so that each is durable when its promise resolves and the cost of the fsync is shared. Readers see the last commit, never a half one:
 * between commits they read through the writing connection, whose pages stay in memory, and beside one through the other, which has to read anew
 * whatever it had whenever something was committed.
 */
import { statSync } from 'node:fs'
import BetterSqlite, { type Database as Connection, type Statement as Prepared } from 'better-sqlite3'
import { boundedMemo } from '../../../../protocol/bounded-memo.ts'
import type { Database, Db } from './db.ts'
import { freeBytes, logBytes, maxPages, requireRoom } from './disk-room.ts'
import { engines } from './engines.ts'
import { type StatementWatch, unwatched, type WatchedStatement } from './statement-watch.ts'
import { dbOver, type Outcome, type Runner, type Statement } from './store.ts'
import { untilFree } from './until-free.ts'

type Unit = {
  work: (trx: Db) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}

type CommittedUnit = { unit: Unit; value: unknown }

/** Keeps a commit, and with it every waiting reader, short when thousands of writes arrive at once. */
const maxUnitsPerCommit = 1000

/** `alone`: no other process has the file open, nor can open it until it is closed. */
type SqliteOptions = { busyWithinMs?: number; watch?: StatementWatch; alone?: boolean }

export const openSqlite = (
  file: string,
  { busyWithinMs = 10_000, watch = unwatched, alone = false }: SqliteOptions = {},
): Database => {
  requireRoom(file)
  const patiently = untilFree(busyWithinMs)
  const writer = connect(file)
  if (alone) takeAlone(writer)
  // Rows of a result are about a kilobyte: larger pages than the default 4 KB ingest a tenth more of them a second.
  writer.pragma('page_size = 8192')
  // Before the first table, or never without a vacuum: pages that retention empties can go back to the volume in small steps.
  writer.pragma('auto_vacuum = incremental')
  writer.pragma('journal_mode = WAL')
  writer.pragma('synchronous = FULL')
  // Small, so that it leaves a small volume room (disk-room.ts); a few times larger would cost a tenth less a row.
  const pageSize = Number(writer.pragma('page_size', { simple: true }))
  writer.pragma(`wal_autocheckpoint = ${Math.floor(logBytes / pageSize)}`)
  writer.pragma(`journal_size_limit = ${logBytes}`)
  const reader = alone ? writer : connect(file)
  if (!alone) reader.pragma('query_only = 1')
  // From here on the event loop waits for nobody.
  for (const connection of [writer, reader]) connection.pragma('busy_timeout = 0')
  const identity = identityOf(file)
  const fitToDisk = (): void => {
    requireSame(file, identity)
    const pages = Number(writer.pragma('page_count', { simple: true }))
    writer.pragma(`max_page_count = ${maxPages({ pages, pageSize, free: freeBytes(file) })}`)
  }
  fitToDisk()
  const write = statementRunner(writer, watch)
  const trx = dbOver(engines.sqlite, write)
  const requireUnmoved = () => requireSame(file, identity)
  const commits = groupCommit(writer, { trx, watch, patiently, requireUnmoved })
  const beside = statementRunner(reader, watch)
  const read: Runner = (statement) => (writer.inTransaction ? beside : write)(statement)
  const run: Runner = (statement) =>
    statement.prepared.writes ? commits.add(() => write(statement)) : patiently(() => read(statement))
  return {
    ...dbOver(engines.sqlite, run),
    transaction: (work) => commits.add(work),
    fitToDisk,
    giveBack: (pages) =>
      commits.add(async () => {
        writer.pragma(`incremental_vacuum(${pages})`)
      }),
    runAlone: (text) =>
      commits.idle().then(() => {
        writer.exec(text)
      }),
    checkpoint: () => {
      // Within a transaction of ours it would be an error, and the next turn comes.
      if (!writer.inTransaction) writer.pragma('wal_checkpoint(passive)')
    },
    close: async () => {
      await commits.idle()
      reader.close()
      writer.close()
    },
  }
}

/** Locks of this mode stay after the transaction that took them. */
const takeAlone = (connection: Connection): void => {
  connection.pragma('busy_timeout = 500')
  connection.pragma('locking_mode = exclusive')
  connection.exec('begin exclusive; commit')
}

const connect = (file: string): Connection => {
  const connection = new BetterSqlite(file)
  // At its start a program waits for a neighbour that is about to end.
  connection.pragma('busy_timeout = 5000')
  connection.pragma('foreign_keys = ON')
  // 8 MB each; eight times as much made nothing faster (docs/decisions/store.md).
  connection.pragma('cache_size = -8192')
  connection.pragma('temp_store = MEMORY')
  return connection
}

/** Each is about 11 KB. Those of periods have texts of their own, and most of them are asked for once. */
const maxPrepared = 500

/** Prepared statements are kept by their text: named and dynamic queries alike. */
const statementRunner = (connection: Connection, watch: StatementWatch): Runner => {
  const preparedFor = boundedMemo((sql): Prepared => connection.prepare(sql), { limit: maxPrepared })
  return ({ prepared, params, one }: Statement) => {
    const startedAt = watch.monotonic()
    try {
      const statement = preparedFor(prepared.sql)
      const values = prepared.values(params)
      if (statement.reader) {
        // A statement that changes rows must run to its end.
        const rows = one && !prepared.writes ? firstRow(statement, values) : statement.all(values)
        return Promise.resolve<Outcome>({ rows, changes: rows.length })
      }
      return Promise.resolve<Outcome>({ rows: [], changes: statement.run(values).changes })
    } catch (error) {
      return Promise.reject(error)
    } finally {
      const { name, sql, writes } = prepared
      watch.note({ name, sql, kind: writes ? 'write' : 'read' }, watch.monotonic() - startedAt)
    }
  }
}

const firstRow = (statement: Prepared, values: unknown[]): unknown[] => {
  const row = statement.get(values)
  return row === undefined ? [] : [row]
}

/** What the system knows a file by, whatever its name. */
const identityOf = (file: string): string | null => {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats === undefined ? null : `${stats.dev} ${stats.ino}`
}

/** A file that was removed or replaced takes writes like any other, and they are gone with the process. */
const requireSame = (file: string, identity: string | null): void => {
  if (identityOf(file) === identity) return
  const message = `${file} was removed or replaced while it is in use: put it back, or restore a backup and start again`
  throw Object.assign(new Error(message), { code: 'SQLITE_READONLY_DBMOVED' })
}

const transactionStatements = (connection: Connection) => ({
  begin: connection.prepare('begin immediate'),
  commit: connection.prepare('commit'),
  rollback: connection.prepare('rollback'),
  save: connection.prepare('savepoint unit'),
  release: connection.prepare('release unit'),
  undo: connection.prepare('rollback to unit'),
})

const commitStatement: WatchedStatement = { name: 'commit', sql: 'commit', kind: 'commit' }

type CommitOptions = {
  trx: Db
  watch: StatementWatch
  patiently: ReturnType<typeof untilFree>
  /** Throws when what is written would be lost. */
  requireUnmoved(): void
}

const groupCommit = (connection: Connection, options: CommitOptions) => {
  const waiting: Unit[] = []
  let flushing: Promise<void> | null = null
  const commitTogether = commitsOf(connection, options)

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      await commitTogether(waiting.splice(0, maxUnitsPerCommit))
      if (waiting.length > 0) await nextTurn()
    }
    flushing = null
  }

  return {
    add: <T>(work: (trx: Db) => Promise<T>): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        waiting.push({ work, resolve: resolve as Unit['resolve'], reject })
        flushing ??= nextTurn().then(flush)
      }),
    idle: async (): Promise<void> => {
      while (flushing) await flushing
    },
  }
}

/** Does what several want in one transaction, and tells each of them what became of its own. */
const commitsOf = (connection: Connection, { trx, watch, patiently, requireUnmoved }: CommitOptions) => {
  const { begin, commit, rollback, save, release, undo } = transactionStatements(connection)

  /** Undone with its transaction: a savepoint would keep a copy of every page that is changed after it. */
  const alone = async (unit: Unit): Promise<CommittedUnit> => ({ unit, value: await unit.work(trx) })

  const besideOthers = async (unit: Unit, done: CommittedUnit[]): Promise<void> => {
    save.run()
    try {
      done.push({ unit, value: await unit.work(trx) })
      release.run()
    } catch (error) {
      // A full disk may have undone the whole transaction already.
      if (!connection.inTransaction) throw error
      undo.run()
      release.run()
      unit.reject(error)
    }
  }

  return async (units: Unit[]): Promise<void> => {
    const done: CommittedUnit[] = []
    try {
      requireUnmoved()
      await patiently(async () => begin.run())
      if (units.length === 1) done.push(await alone(units[0] as Unit))
      else for (const unit of units) await besideOthers(unit, done)
      const startedAt = watch.monotonic()
      commit.run()
      watch.note(commitStatement, watch.monotonic() - startedAt)
      requireUnmoved()
    } catch (error) {
      // A commit that failed (a full disk, say) leaves nothing behind, and nobody is told otherwise.
      if (connection.inTransaction) rollback.run()
      for (const unit of units) unit.reject(error)
      return
    }
    for (const { unit, value } of done) unit.resolve(value)
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
