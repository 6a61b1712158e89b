import type { App } from '../../app/app.ts'
import { sayStoreTrouble } from '../../app/say-store-trouble.ts'
import type { StoreTrouble } from '../../store/database/store-trouble.ts'
import { ApiError } from '../../words/errors.ts'

const answers: Record<StoreTrouble, { status: number; retryAfterSeconds: number }> = {
  full: { status: 507, retryAfterSeconds: 5 },
  away: { status: 503, retryAfterSeconds: 1 },
  busy: { status: 503, retryAfterSeconds: 1 },
  broken: { status: 503, retryAfterSeconds: 5 },
}

/** The bare answer to a request that met a store in trouble, which is logged now and then; null for other errors. */
export const storeTroubleAnswer = (app: App, error: unknown): ApiError | null => {
  const trouble = sayStoreTrouble(app)(error)
  if (trouble === null) return null
  const { status, retryAfterSeconds } = answers[trouble]
  return new ApiError(status, undefined, { headers: { 'retry-after': String(retryAfterSeconds) } })
}
