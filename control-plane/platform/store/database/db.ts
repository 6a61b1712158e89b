/**
 * The store as the rest of the control plane sees it. A `Query` is written once with Kysely (query.ts), compiled once
 * per engine and run as a cached prepared statement (SQLite) or a named statement (PostgreSQL).
 *
 * Invariants: a promise of `transaction` that resolves is on disk (WAL + synchronous=FULL, or PostgreSQL's commit).
 * The function given to `transaction` may run more than once and shares its commit with its neighbours: no network, no
 * timers, no clock reads inside, and only the `trx` it is given.
 */
import type { Compilable, Kysely } from 'kysely'
import type { Engine } from './engines.ts'
import type { Query } from './query.ts'
import type { Tables } from './tables.ts'

export type Db = {
  readonly engine: Engine
  /** All rows. */
  all<P, R>(query: Query<P, R>, params: P): Promise<R[]>
  /** The first row, if there is one. */
  get<P, R>(query: Query<P, R>, params: P): Promise<R | undefined>
  /** The number of rows changed. */
  run<P>(query: Query<P, unknown>, params: P): Promise<number>
  /** Rows of a query whose shape depends on its filters: built and compiled at every call. */
  select<R>(build: (k: Kysely<Tables>, engine: Engine) => Compilable<R>): Promise<R[]>
  /** Changed rows of a statement whose shape depends on its input. */
  execute(build: (k: Kysely<Tables>, engine: Engine) => Compilable<unknown>): Promise<number>
}

export type Database = Db & {
  /**
   * Runs `work` in one transaction and resolves once it is durable. Throwing inside undoes only `work`. `unhurried`: its
   * statements may take as long as they need.
   */
  transaction<T>(work: (trx: Db) => Promise<T>, options?: { unhurried?: boolean }): Promise<T>
  /**
   * Lets an embedded store grow only so far that its volume keeps room for its log, so that deleting works when it is full;
   * what is free changes, so it is to be called now and then. @throws when the file is not the one that was opened.
   */
  fitToDisk(): void
  /**
   * Makes the file of an embedded store smaller by up to so many unused pages; of a file that was not made to shrink, and of
   * a server, by none.
   */
  giveBack(pages: number): Promise<void>
  /** A statement that a server takes outside of transactions only (`… concurrently`); `unhurried`: it takes as long as it needs. */
  runAlone(text: string, how?: { unhurried: boolean }): Promise<void>
  /** Brings what an embedded store has in its log into its file, as far as no reader needs it: only then the file is smaller. */
  checkpoint(): void
  close(): Promise<void>
}
