import type { Compilable, Kysely } from 'kysely'
import type { Engine } from '../../../platform/store/database/engines.ts'
import { type Query, query } from '../../../platform/store/database/query.ts'
import type { Tables } from '../../../platform/store/database/tables.ts'

/** Whose checks: an account's, or, in a public location, everybody's (null). */
export type Scope = { accountId: string | null }

type Build<P, R> = (
  k: Kysely<Tables>,
  p: P,
  engine: Engine,
  /** Null: of everybody. */
  accountId: string | null,
) => Compilable<R>

/** A statement is compiled before its parameters are known: of an account and of everybody there are two. */
export const scopedQuery = <P extends object, R>(
  name: string,
  build: Build<P, R>,
): ((scope: Scope) => Query<P & Scope, R>) => {
  const ofAccount = query(name, (k, p: P & Scope, engine) => build(k, p, engine, p.accountId))
  const ofEverybody = query(`${name}-of-everybody`, (k, p: P & Scope, engine) => build(k, p, engine, null))
  return ({ accountId }) => (accountId === null ? ofEverybody : ofAccount)
}
