/**
 * A program that finds its store brought up to date by a newer one while it runs beside it: what it does not know it could
 * only misjudge. It hands out no jobs, takes no reports and rests its loops; whoever sends reports keeps them, and the newer
 * program goes on with all of it.
 */
import { migrationState } from '../store/database/applied-migrations.ts'
import type { Db } from '../store/database/db.ts'
import { ApiError } from '../words/errors.ts'
import type { App } from './app.ts'
import { perApp } from './per-app.ts'

const found = perApp((): { unknown: readonly string[] } => ({ unknown: [] }))

const sentence = (unknown: readonly string[]): string =>
  `The store was brought up to date by a newer version (${unknown.join(', ')}): this program does nothing more with it, start that version in its place`

/** Why this program does nothing more; null: it works. */
export const newerStore = (app: App): string | null => {
  const { unknown } = found(app)
  return unknown.length === 0 ? null : sentence(unknown)
}

/** Looks what the store has become. */
export const storeVersionTick = async (app: App): Promise<void> => {
  const state = found(app)
  const { unknown } = await migrationState(app.db)
  const isNews = unknown.length > 0 && state.unknown.length === 0
  state.unknown = unknown
  if (isNews) app.log.error({ migrations: unknown }, sentence(unknown))
}

const refusal = (why: string): ApiError =>
  new ApiError(503, why, { headers: { 'retry-after': String(retryAfterSeconds) } })
const retryAfterSeconds = 5

/** What must not be done with a newer store asks it, in its transaction; an embedded one belongs to one program. @throws ApiError 503 */
export const refuseNewerStore = async (db: Db): Promise<void> => {
  if (!db.engine.shared) return
  const { unknown } = await migrationState(db)
  if (unknown.length > 0) throw refusal(sentence(unknown))
}

/** By what was found at the last look. @throws ApiError 503 */
export const requireKnownStore = (app: App): void => {
  const why = newerStore(app)
  if (why !== null) throw refusal(why)
}
