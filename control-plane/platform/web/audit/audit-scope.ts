/**
 * The audit entry of a request is written by the first transaction of it that changes something, in that transaction: no change without its
 * entry, and no entry without its change. Handlers and queries know nothing of it: the store that they are given looks whether somebody's
 * request is being served.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database, Db } from '../../store/database/db.ts'
import type { AuditEntriesTable } from '../../store/database/tables/sign-in.ts'
import { insertAuditEntry } from './queries.ts'

/**
 * `isWritten`: the entry's row is stored. `isOver`: the request was answered, and later work is not part of it. `made`: what a page's form has made, whose
 * own answer only leads on.
 */
export type OpenEntry = {
  row: AuditEntriesTable
  isWritten: boolean
  isOver: boolean
  made?: unknown
  /** One of several things that a request does: what `work` changes has an entry of its own, named after the API's route. */
  part<T>(route: PartOf, work: () => Promise<T>): Promise<T>
}

export type PartOf = { method: string; path: string; params: Record<string, string> }

type AuditScope = {
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

type Work<T> = { work: (trx: Db) => Promise<T>; hasChanged: (done: T) => boolean }

/** One statement and the entry are one transaction. */
const inOne = async <T>(db: Database, entry: OpenEntry, { work, hasChanged }: Work<T>): Promise<T> => {
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

const anyRow = (rows: number): boolean => rows > 0

export const auditedDatabase = (db: Database, scope: AuditScope): Database => ({
  ...db,
  get: (query, params) => {
    const entry = scope.current()
    if (entry === undefined || !query.compiled(db.engine).writes) return db.get(query, params)
    return inOne(db, entry, {
      work: (trx) => trx.get(query, params),
      hasChanged: (row) => row !== undefined,
    })
  },
  all: (query, params) => {
    const entry = scope.current()
    if (entry === undefined || !query.compiled(db.engine).writes) return db.all(query, params)
    return inOne(db, entry, {
      work: (trx) => trx.all(query, params),
      hasChanged: ({ length }) => length > 0,
    })
  },
  run: (query, params) => {
    const entry = scope.current()
    if (entry === undefined) return db.run(query, params)
    return inOne(db, entry, { work: (trx) => trx.run(query, params), hasChanged: anyRow })
  },
  execute: (build) => {
    const entry = scope.current()
    if (entry === undefined) return db.execute(build)
    return inOne(db, entry, { work: (trx) => trx.execute(build), hasChanged: anyRow })
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
})

/** Whose request is being served, for the audit log. */
export type HasAudit = { audit: AuditScope }
