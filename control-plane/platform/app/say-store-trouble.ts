import { type StoreTrouble, storeTrouble } from '../store/database/store-trouble.ts'
import type { App } from './app.ts'
import { perApp } from './per-app.ts'

/** Every loop and every request fails for it: it is said so often, whoever meets it. */
const sayEveryMs = 60_000

const sayings: Record<StoreTrouble, string> = {
  full: 'The store has no room (DATABASE_URL, DATA_DIR): what would change it is refused until there is some',
  away: 'The store cannot be reached (DATABASE_URL): requests are refused until it is back',
  busy: 'The store is held by somebody else for longer than we wait: requests are refused meanwhile',
  broken: 'The store cannot be used (DATABASE_URL, DATA_DIR): requests are refused until it can',
}

/** A time in which the store was in this trouble, again and again; epoch milliseconds. */
type Episode = { trouble: StoreTrouble; from: number; to: number }

/** What is further apart is not one episode. */
const gapMs = 60_000
const keptEpisodes = 100

/** The latest last. */
const episodes = perApp((): Episode[] => [])

const note = (app: App, trouble: StoreTrouble): void => {
  const now = app.clock.now()
  const all = episodes(app)
  const last = all.findLast((episode) => episode.trouble === trouble)
  if (last !== undefined && now - last.to <= gapMs) last.to = now
  else all.push({ trouble, from: now, to: now })
  if (all.length > keptEpisodes) all.shift()
}

/** The trouble that the store was in within these bounds, by what this process met; null for none. */
export const troubleWithin = (app: App, { from, to }: { from: number; to: number }): StoreTrouble | null =>
  episodes(app).findLast((episode) => episode.from <= to && episode.to >= from)?.trouble ?? null

/** When this kind of trouble was met last; null for never. */
export const lastMet = (app: App, trouble: StoreTrouble): number | null =>
  episodes(app).findLast((episode) => episode.trouble === trouble)?.to ?? null

/** Says now and then what kind of trouble an error of the store is, and returns it; null for other errors. */
export const sayStoreTrouble = perApp((app: App) => {
  const quietUntil = new Map<StoreTrouble, number>()
  return (error: unknown): StoreTrouble | null => {
    const trouble = storeTrouble(error)
    if (trouble === null) return null
    note(app, trouble)
    const now = app.clock.monotonic()
    if (now >= (quietUntil.get(trouble) ?? Number.NEGATIVE_INFINITY)) {
      quietUntil.set(trouble, now + sayEveryMs)
      app.log.error({ err: error }, sayings[trouble])
    }
    return trouble
  }
})
