import type { Database, Db } from '../store/database/db.ts'
import type { App } from './app.ts'

/** The app that another one was made from for a while. */
const origins = new WeakMap<App, App>()
const originOf = (app: App): App => origins.get(app) ?? app

/**
 * What a slice keeps in memory (a cache, a batch on its way) for one running control plane: made at the first use, gone
 * with its app. Two apps in one process, as in tests, share nothing.
 */
export const perApp = <T, A extends App = App>(make: (app: A) => T): ((app: A) => T) => {
  const made = new WeakMap<App, { value: T }>()
  return (app) => {
    const origin = originOf(app)
    const known = made.get(origin)
    if (known) return known.value
    // An app that was made from another one has all that its origin has.
    const value = make(origin as A)
    made.set(origin, { value })
    return value
  }
}

/**
 * The same app inside of a transaction that is open: what its handlers write is written with it or not at all, at one moment. For what
 * puts many of them together; what they read through a cache must have been read before.
 */
export const insideOf = <A extends App>(app: A, trx: Db, parts: Partial<A>): A => {
  const db: Database = { ...app.db, ...trx, transaction: (work) => work(trx) }
  const inside = { ...app, ...parts, db }
  origins.set(inside, originOf(app))
  return inside
}
