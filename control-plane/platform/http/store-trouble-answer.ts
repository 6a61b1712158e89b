import type { App } from '../app.ts'
import { type StoreTrouble, storeTrouble } from '../database/store-trouble.ts'
import { ApiError } from './errors.ts'

const answers: Record<StoreTrouble, { status: number; retryAfterSeconds: number }> = {
  full: { status: 507, retryAfterSeconds: 5 },
  away: { status: 503, retryAfterSeconds: 1 },
  busy: { status: 503, retryAfterSeconds: 1 },
  broken: { status: 503, retryAfterSeconds: 5 },
}

/** Said so often, however many requests meet it. */
const sayEveryMs = 60_000

/** The bare answer to a request that met a store in trouble, which is logged now and then; null for other errors. */
export const createStoreTroubleAnswer = (app: App) => {
  const quietUntil = new Map<StoreTrouble, number>()
  return (error: unknown): ApiError | null => {
    const trouble = storeTrouble(error)
    if (trouble === null) return null
    const now = app.clock.monotonic()
    if (now >= (quietUntil.get(trouble) ?? Number.NEGATIVE_INFINITY)) {
      quietUntil.set(trouble, now + sayEveryMs)
      app.log.error({ err: error }, sayings[trouble])
    }
    const { status, retryAfterSeconds } = answers[trouble]
    return new ApiError(status, undefined, { headers: { 'retry-after': String(retryAfterSeconds) } })
  }
}

const sayings: Record<StoreTrouble, string> = {
  full: 'The store has no room (DATABASE_URL, DATA_DIR): what would change it is refused until there is some',
  away: 'The store cannot be reached (DATABASE_URL): requests are refused until it is back',
  busy: 'The store is held by somebody else for longer than we wait: requests are refused meanwhile',
  broken: 'The store cannot be used (DATABASE_URL, DATA_DIR): requests are refused until it can',
}
