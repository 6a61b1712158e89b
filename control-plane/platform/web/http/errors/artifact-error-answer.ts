import type { App } from '../../../app/app.ts'
import { perApp } from '../../../app/per-app.ts'
import { ArtifactError, type ArtifactErrorKind } from '../../../store/artifact-store/artifact-error.ts'
import { ApiError } from '../../../words/errors.ts'

/** Every upload and every download fails for it: it is said so often, whoever meets it. */
const sayEveryMs = 60_000

const answers: Record<ArtifactErrorKind, { status: number; retryAfterSeconds: number }> = {
  full: { status: 507, retryAfterSeconds: 60 },
  away: { status: 503, retryAfterSeconds: 5 },
  refused: { status: 503, retryAfterSeconds: 30 },
  busy: { status: 503, retryAfterSeconds: 1 },
}

const quietUntil = perApp((): Map<ArtifactErrorKind, number> => new Map())

/** The answer to a request that met an error of the object store, which is logged now and then; null for other errors. */
export const artifactErrorAnswer = (app: App, error: unknown): ApiError | null => {
  if (!(error instanceof ArtifactError)) return null
  const now = app.clock.monotonic()
  if (now >= (quietUntil(app).get(error.kind) ?? Number.NEGATIVE_INFINITY)) {
    quietUntil(app).set(error.kind, now + sayEveryMs)
    app.log.error(
      { err: error },
      'Artifacts cannot be stored or read; whoever sends some keeps them and tries again',
    )
  }
  const { status, retryAfterSeconds } = answers[error.kind]
  return new ApiError(status, 'The store of artifacts is not available: try again later', {
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}
