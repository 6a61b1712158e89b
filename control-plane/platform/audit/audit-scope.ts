/**
 * The audit entry of a request is written by the first transaction of it that changes something, in that transaction: no change without its
 * entry, and no entry without its change. Handlers and queries know nothing of it: the store that they are given looks whether somebody's
 * request is being served.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database, Db } from '../database/db.ts'
import type { AuditEntriesTable } from '../database/tables/sign-in.ts'
import { insertAuditEntry } from './queries.ts'

/** `isWritten`: there is a row. `isOver`: what goes on after the answer belongs to nobody's request. */
export type OpenEntry = { row: AuditEntriesTable; isWritten: boolean; isOver: boolean }

export type AuditScope = {
  /** Everything that `work` changes is this entry's. */
  run<T>(entry: OpenEntry, work: () => Promise<T>): Promise<T>
  current(): OpenEntry | undefined
}

export const createAuditScope = (): AuditScope => {
  const storage = new AsyncLocalStorage<OpenEntry>()
  return {
    run: (entry, work) => storage.run(entry, work),
    current: () => {
      const entry = storage.getStore()
      return entry === undefined || entry.isOver ? undefined : entry
    },
  }
}

export const auditedDatabase = (db: Database, scope: AuditScope): Database => {
  const inOne = async <T>(
    entry: OpenEntry,
    work: (trx: Db) => Promise<T>,
    hasChanged: (done: T) => boolean,
  ) => {
    let isWritten = false
    const done = await db.transaction(async (trx) => {
      const result = await work(trx)
      isWritten = hasChanged(result)
      if (isWritten) await trx.run(insertAuditEntry, entry.row)
      return result
    })
    entry.isWritten ||= isWritten
    return done
  }
  return {
    ...db,
    get: (query, params) => {
      const entry = scope.current()
      if (entry === undefined || !query.compiled(db.engine).writes) return db.get(query, params)
      return inOne(
        entry,
        (trx) => trx.get(query, params),
        (row) => row !== undefined,
      )
    },
    all: (query, params) => {
      const entry = scope.current()
      if (entry === undefined || !query.compiled(db.engine).writes) return db.all(query, params)
      return inOne(
        entry,
        (trx) => trx.all(query, params),
        (rows) => rows.length > 0,
      )
    },
    run: (query, params) => {
      const entry = scope.current()
      if (entry === undefined) return db.run(query, params)
      return inOne(
        entry,
        (trx) => trx.run(query, params),
        (rows) => rows > 0,
      )
    },
    execute: (build) => {
      const entry = scope.current()
      if (entry === undefined) return db.execute(build)
      return inOne(
        entry,
        (trx) => trx.execute(build),
        (rows) => rows > 0,
      )
    },
    transaction: async (work, options) => {
      const entry = scope.current()
      if (entry === undefined) return db.transaction(work, options)
      const done = await db.transaction(async (trx) => {
        const result = await work(trx)
        await trx.run(insertAuditEntry, entry.row)
        return result
      }, options)
      entry.isWritten = true
      return done
    },
  }
}
