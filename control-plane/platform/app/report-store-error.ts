import { type StoreErrorKind, storeErrorKind } from '../store/database/store-error.ts'
import type { App } from './app.ts'
import { perApp } from './per-app.ts'

/** Every loop and every request fails for it: it is said so often, whoever meets it. */
const sayEveryMs = 60_000

const sayings: Record<StoreErrorKind, string> = {
  full: 'The store has no room (DATABASE_URL, DATA_DIR): what would change it is refused until there is some',
  away: 'The store cannot be reached (DATABASE_URL): requests are refused until it is back',
  busy: 'The store is held by somebody else for longer than we wait: requests are refused meanwhile',
  broken: 'The store cannot be used (DATABASE_URL, DATA_DIR): requests are refused until it can',
}

/** A time in which the store failed in this way, again and again; epoch milliseconds. */
type Episode = { kind: StoreErrorKind; from: number; to: number }

/** What is further apart is not one episode. */
const gapMs = 60_000
const maxEpisodes = 100

/** The latest last. */
const episodes = perApp((): Episode[] => [])

const note = (app: App, kind: StoreErrorKind): void => {
  const now = app.clock.now()
  const all = episodes(app)
  const last = all.findLast((episode) => episode.kind === kind)
  if (last !== undefined && now - last.to <= gapMs) last.to = now
  else all.push({ kind, from: now, to: now })
  if (all.length > maxEpisodes) all.shift()
}

/** How the store failed within these bounds, by what this process met; null for none. */
export const storeErrorWithin = (
  app: App,
  { from, to }: { from: number; to: number },
): StoreErrorKind | null =>
  episodes(app).findLast((episode) => episode.from <= to && episode.to >= from)?.kind ?? null

/** When this kind of error was met last; null for never. */
export const lastMet = (app: App, kind: StoreErrorKind): number | null =>
  episodes(app).findLast((episode) => episode.kind === kind)?.to ?? null

/** Says now and then what kind of error the store has thrown, and returns it; null for other errors. */
export const reportStoreError = perApp((app: App) => {
  const quietUntil = new Map<StoreErrorKind, number>()
  return (error: unknown): StoreErrorKind | null => {
    const kind = storeErrorKind(error)
    if (kind === null) return null
    note(app, kind)
    const now = app.clock.monotonic()
    if (now >= (quietUntil.get(kind) ?? Number.NEGATIVE_INFINITY)) {
      quietUntil.set(kind, now + sayEveryMs)
      app.log.error({ err: error }, sayings[kind])
    }
    return kind
  }
})
