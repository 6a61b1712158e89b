import type { App } from '../../../app/app.ts'
import { reportStoreError } from '../../../app/report-store-error.ts'
import type { StoreErrorKind } from '../../../store/database/store-error.ts'
import { ApiError } from '../../../words/errors.ts'

const answers: Record<StoreErrorKind, { status: number; retryAfterSeconds: number }> = {
  full: { status: 507, retryAfterSeconds: 5 },
  away: { status: 503, retryAfterSeconds: 1 },
  busy: { status: 503, retryAfterSeconds: 1 },
  broken: { status: 503, retryAfterSeconds: 5 },
}

const explanations: Record<StoreErrorKind, Explanation> = {
  full: {
    title: 'The store has no room',
    text: 'What would change it is refused until there is some; what is measured meanwhile is kept where it is measured.',
  },
  away: {
    title: 'The store does not answer',
    text: 'The database of the control plane cannot be reached, or is not answering. Nothing can be shown or changed until it is back; what is measured meanwhile is kept where it is measured.',
  },
  busy: {
    title: 'The store is busy',
    text: 'Somebody else holds what this page needs for longer than it waits. Try again in a moment.',
  },
  broken: {
    title: 'The store cannot be used',
    text: 'Its disk, its rights or its file are at fault: the log of the control plane says which. What is measured meanwhile is kept where it is measured.',
  },
}

/** What people are told in place of a bare status. */
export type Explanation = { title: string; text: string }

/**
 * The bare answer to a request that met an error of the store, which is logged now and then, and what a page says instead; null for
 * other errors.
 */
export const storeErrorAnswer = (
  app: App,
  error: unknown,
): { told: ApiError; explanation: Explanation } | null => {
  const kind = reportStoreError(app)(error)
  if (kind === null) return null
  const { status, retryAfterSeconds } = answers[kind]
  const headers = { 'retry-after': String(retryAfterSeconds) }
  return { told: new ApiError(status, undefined, { headers }), explanation: explanations[kind] }
}
