import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { type UploadState, uploadStatus } from '../../../protocol/artifact.ts'
import type { App } from '../../platform/app/app.ts'
import { artifactKey, type HasArtifacts } from '../../platform/store/artifact-store/store.ts'
import type { ArtifactsTable } from '../../platform/store/database/tables/artifacts.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { inTime, writing } from './in-time.ts'
import { incoming, tooLong } from './incoming.ts'
import { completeArtifact, findArtifact } from './queries.ts'

/** Which file of which result, and the location whose agent asks. */
type Upload = { resultId: string; name: string; location: string }

/** @throws ApiError 410 when the control plane does not wait for this file from this location */
export const uploadState = async (app: App & HasArtifacts, upload: Upload): Promise<UploadState> => {
  const row = await wanted(app, upload)
  const key = artifactKey(upload.resultId, upload.name)
  return stateOf(app, row, row.completed_at === null ? await app.artifacts.store.size(key) : row.size)
}

type Part = { offset: number; length: number | null; body: Readable }

/**
 * Stores a part; the one that brings the last byte completes the file. `length` as the request tells, if it does.
 * @throws ApiError 400, 409, 410, 413, 422 (protocol/artifact.ts) or 507 when there is no room
 */
export const receivePart = (app: App & HasArtifacts, upload: Upload, part: Part): Promise<UploadState> => {
  const key = artifactKey(upload.resultId, upload.name)
  return app.artifacts.uploads.take(key, async (signal) => {
    const row = await wanted(app, upload)
    if (row.completed_at !== null) return stateOf(app, row, row.size)
    const there = await app.artifacts.store.size(key)
    if (part.offset !== there) throw elsewhere(there)
    const room = row.size - part.offset
    if (part.length !== null && part.length > room) throw tooLong()
    const size = await inTime(app, signal, (inTimeSignal) =>
      writing(app, () =>
        app.artifacts.store.write(key, part.offset, incoming(part.body, { room, signal: inTimeSignal })),
      ),
    )
    await stillWanted(app, upload, key)
    if (size < row.size) return stateOf(app, row, size)
    return complete(app, row, key)
  })
}

const wanted = async (app: App, { resultId, name, location }: Upload): Promise<ArtifactsTable> => {
  const row = await app.db.get(findArtifact, { resultId, name })
  if (row?.location === location && row.refused === null && row.expires_at > app.clock.now()) return row
  // The same answer for all reasons: whether a result of another location exists is none of an agent's business.
  throw new ApiError(uploadStatus.unwanted, 'No such file of such a result is waited for')
}

/** Another control plane may have swept the file while its bytes came: what has no row has none. */
const stillWanted = async (app: App & HasArtifacts, upload: Upload, key: string): Promise<void> => {
  try {
    await wanted(app, upload)
  } catch (error) {
    if (error instanceof ApiError) await app.artifacts.store.remove(key)
    throw error
  }
}

const stateOf = (app: App, row: ArtifactsTable, offset: number): UploadState => ({
  serverTime: app.clock.now(),
  offset,
  size: row.size,
  complete: row.completed_at !== null,
  ...(row.sha256 === null ? {} : { sha256: row.sha256 }),
})

const elsewhere = (offset: number): ApiError =>
  new ApiError(uploadStatus.elsewhere, `The file goes on at offset ${offset}`, { attributes: { offset } })

const complete = async (app: App & HasArtifacts, row: ArtifactsTable, key: string): Promise<UploadState> => {
  const { store } = app.artifacts
  const resultId = row.result_id
  const sha256 = await hashOf(await store.read(key, { start: 0, end: row.size }))
  if (sha256 !== row.sha256) {
    await store.remove(key)
    throw new ApiError(
      uploadStatus.damaged,
      'The bytes are not the announced ones (SHA-256): send all of them again',
    )
  }
  const now = app.clock.now()
  await app.db.run(completeArtifact, { resultId, name: row.name, now })
  return stateOf(app, { ...row, completed_at: now }, row.size)
}

const hashOf = async (bytes: Readable | null): Promise<string> => {
  const hash = createHash('sha256')
  for await (const chunk of bytes ?? []) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}
