import type { App } from './app.ts'
import { type StoreTrouble, storeTrouble } from './database/store-trouble.ts'
import { perApp } from './per-app.ts'

/** Every loop and every request fails for it: it is said so often, whoever meets it. */
const sayEveryMs = 60_000

const sayings: Record<StoreTrouble, string> = {
  full: 'The store has no room (DATABASE_URL, DATA_DIR): what would change it is refused until there is some',
  away: 'The store cannot be reached (DATABASE_URL): requests are refused until it is back',
  busy: 'The store is held by somebody else for longer than we wait: requests are refused meanwhile',
  broken: 'The store cannot be used (DATABASE_URL, DATA_DIR): requests are refused until it can',
}

/** When each kind of trouble was met last, on the monotonic clock. */
export const lastTrouble = perApp(() => new Map<StoreTrouble, number>())

/** Says now and then what kind of trouble an error of the store is, and returns it; null for other errors. */
export const sayStoreTrouble = perApp((app: App) => {
  const quietUntil = new Map<StoreTrouble, number>()
  return (error: unknown): StoreTrouble | null => {
    const trouble = storeTrouble(error)
    if (trouble === null) return null
    const now = app.clock.monotonic()
    lastTrouble(app).set(trouble, now)
    if (now >= (quietUntil.get(trouble) ?? Number.NEGATIVE_INFINITY)) {
      quietUntil.set(trouble, now + sayEveryMs)
      app.log.error({ err: error }, sayings[trouble])
    }
    return trouble
  }
})
