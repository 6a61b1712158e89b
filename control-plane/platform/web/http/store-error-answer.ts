import type { App } from '../../app/app.ts'
import { reportStoreError } from '../../app/report-store-error.ts'
import type { StoreErrorKind } from '../../store/database/store-error.ts'
import { ApiError } from '../../words/errors.ts'

const answers: Record<StoreErrorKind, { status: number; retryAfterSeconds: number }> = {
  full: { status: 507, retryAfterSeconds: 5 },
  away: { status: 503, retryAfterSeconds: 1 },
  busy: { status: 503, retryAfterSeconds: 1 },
  broken: { status: 503, retryAfterSeconds: 5 },
}

/** The bare answer to a request that met an error of the store, which is logged now and then; null for other errors. */
export const storeErrorAnswer = (app: App, error: unknown): ApiError | null => {
  const kind = reportStoreError(app)(error)
  if (kind === null) return null
  const { status, retryAfterSeconds } = answers[kind]
  return new ApiError(status, undefined, { headers: { 'retry-after': String(retryAfterSeconds) } })
}
