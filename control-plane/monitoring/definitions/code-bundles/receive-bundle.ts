/**
 * An archive on its way in: its room is taken, its bytes go to the store as they come and are hashed and looked into on the
 * way, then it is there, or all of it is given back. What a crash leaves behind is swept (sweep-bundles.ts).
 */

import { createHash, type Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { maxBundleBytes } from '../../../../protocol/checks/playwright-spec.ts'
import type { App } from '../../../platform/app/app.ts'
import { artifactKey, type HasArtifacts } from '../../../platform/store/artifact-store/store.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { CodeBundlesTable } from '../../../platform/store/database/tables/code-bundles.ts'
import { ApiError } from '../../../platform/words/errors.ts'
import type { HasAllowances } from '../../artifacts/allowances.ts'
import { inTime, writing } from '../../artifacts/in-time.ts'
import { incoming } from '../../artifacts/incoming.ts'
import { addUsageOfAccount, holdUsageOfAccount } from '../../artifacts/usage.ts'
import { type ArchiveReader, createArchiveReader } from './archive-reader.ts'
import { type ArchiveFacts, lockFiles } from './inspect-archive.ts'
import { completeBundle, countBundles, deleteBundle, insertBundle, touchContent } from './queries.ts'

/** Of one account. */
export const maxBundles = 1000
const maxUploadsAtOnce = 4

/** What ids of results and names of files never make. */
export const bundleKey = (id: string): string => artifactKey('code bundle', id)

/** `sha256`: null where nobody has announced it. */
type BundleUpload = { accountId: string; sha256: string | null; length: number | null; body: Readable }
type ReceivedBundle = { row: CodeBundlesTable; isNew: boolean }

/**
 * The bundle with these bytes, which an account has once.
 * @throws ApiError 400 (no archive of a project), 411, 413, 422 (other bytes than announced), 429, 507
 */
export const receiveBundle = async (
  app: App & HasAllowances & HasArtifacts,
  upload: BundleUpload,
): Promise<ReceivedBundle> => {
  const { accountId, sha256, body } = upload
  const length = requireLength(upload)
  const now = app.clock.now()
  const known = sha256 === null ? undefined : await app.db.get(touchContent, { accountId, sha256, now })
  if (known !== undefined) {
    body.resume()
    return { row: known, isNew: false }
  }
  const id = app.newId()
  await begin(app, { id, accountId, sha256, length })
  try {
    const { facts, hash } = await store(app, { id, sha256, length, body })
    return await complete(app, { id, accountId, sha256: hash }, facts)
  } catch (error) {
    await discard(app, id)
    throw error
  }
}

const requireLength = ({ length }: BundleUpload): number => {
  if (length === null)
    throw new ApiError(411, 'The request has to say how long the bundle is (Content-Length)')
  if (length > maxBundleBytes)
    throw new ApiError(413, `The bundle is larger than ${maxBundleBytes / 1024 / 1024} MB`)
  return length
}

type Beginning = { id: string; accountId: string; sha256: string | null; length: number }

/** Uploads at the same time find what the others leave: the account's sum is held meanwhile. */
const begin = (app: App & HasAllowances, { id, accountId, sha256, length }: Beginning): Promise<void> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    const used = await holdUsageOfAccount(trx, accountId)
    const { all, complete } = (await trx.get(countBundles, { accountId })) ?? { all: 0, complete: 0 }
    if (Number(all) - Number(complete) >= maxUploadsAtOnce)
      throw new ApiError(429, `An account uploads at most ${maxUploadsAtOnce} bundles at once`, {
        headers: { 'retry-after': '10' },
      })
    if (Number(all) >= maxBundles)
      throw new ApiError(413, `The account has ${maxBundles} code bundles: delete some first`)
    if (used + length > app.config.artifactAllowances.account)
      throw new ApiError(
        413,
        'The files of this account have used up their allowance (ARTIFACTS_ACCOUNT_MAX_GB)',
      )
    const unknown = { files: null, unpacked_size: null, completed_at: null }
    await trx.run(insertBundle, {
      id,
      account_id: accountId,
      sha256: sha256 ?? '',
      size: length,
      created_at: now,
      used_at: now,
      ...unknown,
    })
    await addUsageOfAccount(trx, accountId, length)
  })
}

type Bytes = { id: string; sha256: string | null; length: number; body: Readable }
type StoredBytes = { facts: ArchiveFacts; hash: string }

const store = async (app: App & HasArtifacts, { id, sha256, length, body }: Bytes): Promise<StoredBytes> => {
  const hash = createHash('sha256')
  const archive = createArchiveReader()
  try {
    const size = await inTime(app, new AbortController().signal, (signal) =>
      writing(app, () =>
        app.artifacts.store.write(
          bundleKey(id),
          0,
          inspected(incoming(body, { room: length, signal }), hash, archive),
        ),
      ),
    )
    const found = hash.digest('hex')
    if (size !== length || (sha256 !== null && found !== sha256))
      throw new ApiError(422, 'The bytes are not the announced ones (SHA-256)')
    return { facts: requireLockFile(await archive.end()), hash: found }
  } finally {
    archive.close()
  }
}

async function* inspected(
  bytes: AsyncIterable<Uint8Array>,
  hash: Hash,
  archive: ArchiveReader,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    hash.update(chunk)
    await archive.take(chunk)
    yield chunk
  }
}

const requireLockFile = (facts: ArchiveFacts): ArchiveFacts => {
  if (facts.hasLockFile) return facts
  throw new ApiError(400, `The bundle holds no lock file: one of ${[...lockFiles].join(', ')}`)
}

type Content = { id: string; accountId: string; sha256: string }

/** Of two uploads of one content the first that ends is kept. */
const complete = async (
  app: App & HasArtifacts,
  content: Content,
  facts: ArchiveFacts,
): Promise<ReceivedBundle> => {
  const now = app.clock.now()
  const { id, accountId, sha256 } = content
  const { files, unpackedSize } = facts
  const received = await app.db.transaction(async (trx): Promise<ReceivedBundle> => {
    await holdUsageOfAccount(trx, accountId)
    const known = await trx.get(touchContent, { accountId, sha256, now })
    if (known !== undefined) return { row: known, isNew: false }
    const row = await trx.get(completeBundle, { id, sha256, files, unpackedSize, now })
    if (row === undefined) throw new ApiError(503, 'The upload took too long: send it again')
    return { row, isNew: true }
  })
  if (!received.isNew) await discard(app, id)
  return received
}

/** The bytes first: what has no row has none. Its room is free again, once. */
export const discard = async (app: App & HasArtifacts, id: string): Promise<void> => {
  await app.artifacts.store.remove(bundleKey(id))
  await app.db.transaction((trx) => forget(trx, id))
}

const forget = async (trx: Db, id: string): Promise<void> => {
  const gone = await trx.get(deleteBundle, { id })
  if (gone !== undefined) await addUsageOfAccount(trx, gone.account_id, -gone.size)
}
