/** Code bundles at the addresses of command-line clients: the same bundles as at `/v1/code-bundles`, by keys that are their ids. */
import { type Static, Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasArtifacts } from '../../platform/store/artifact-store/store.ts'
import type { CodeBundlesTable } from '../../platform/store/database/tables/code-bundles.ts'
import { sentAsIs } from '../../platform/web/http/answers/serialize.ts'
import { type Route, reply, route } from '../../platform/web/http/route.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import { toIso } from '../../platform/words/shapes/instants.ts'
import type { HasAllowances } from '../artifacts/allowances.ts'
import { holdsNoFiles } from '../definitions/code-bundles/inspect-archive.ts'
import { findBundle } from '../definitions/code-bundles/queries.ts'
import { bundleKey, receiveBundle } from '../definitions/code-bundles/receive-bundle.ts'

const tag = 'Code bundles'
const address = '/next/checkly-storage'
const contentType = 'application/octet-stream'
const Key = Type.Object({ key: Type.String({ format: 'uuid', description: 'The id of the bundle' }) })
const example = { key: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10' }
const checksumHeader = 'x-bundle-checksum-sha256'

const Bundle = Type.Object({
  key: Key.properties.key,
  lastModified: Type.String({ format: 'date-time' }),
  contentLength: Type.Integer({ minimum: 0 }),
  checksumSha256: Type.String({ description: 'In hexadecimal' }),
})
const bundleExample = {
  ...example,
  lastModified: '2026-01-01T00:00:00.000Z',
  contentLength: 48_211,
  checksumSha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
}

const shown = ({ id, size, sha256, created_at }: CodeBundlesTable): Static<typeof Bundle> => ({
  key: id,
  lastModified: toIso(created_at),
  contentLength: size,
  checksumSha256: sha256,
})

/** Clients also ask for keys of other services, which are paths. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Clients upload an archive before each test, also where no suite is in it: nothing is kept, and no check can name it. */
const nothing = '00000000-0000-0000-0000-000000000000'

/** Other spellings of a checksum are not looked at: the bytes are hashed anyway. */
const announced = (checksum: string | undefined): string | null =>
  checksum !== undefined && /^[0-9a-f]{64}$/i.test(checksum) ? checksum.toLowerCase() : null

const upload = route({
  method: 'POST',
  path: `${address}/upload-code-bundle`,
  access: 'READ_WRITE',
  tag,
  summary: 'Upload a code bundle whose checksum need not be announced',
  description:
    'As `POST /v1/code-bundles`; deployments name it as `codeBundlePath`, checks as `codeBundleId`.',
  requestHeaders: { [checksumHeader]: 'The SHA-256 of the bytes in hexadecimal' },
  upload: contentType,
  status: 200,
  otherStatuses: {
    411: 'The length of the bundle is missing (`Content-Length`)',
    413: 'The bundle is too large, or the account has no room or too many bundles',
    422: 'Not all of it came, or other bytes than announced',
    503: 'The upload took too long',
    507: 'There is no room for files; try again later',
  },
  response: Bundle,
  example: { response: bundleExample },
  handle: async ({ headers, upload: body, principal }, app: App & HasAllowances & HasArtifacts) => {
    const length = headers['content-length']
    const sha256 = announced(headers[checksumHeader])
    try {
      const { row } = await receiveBundle(app, {
        accountId: principal.accountId,
        sha256,
        length: length === undefined ? null : Number(length),
        body,
      })
      return reply(shown(row))
    } catch (error) {
      if (!(error instanceof ApiError && error.message.endsWith(holdsNoFiles))) throw error
      const lastModified = toIso(app.clock.now())
      return reply({
        ...{ key: nothing, lastModified, contentLength: Number(length), checksumSha256: sha256 ?? '' },
      })
    }
  },
})

const peek = route({
  method: 'POST',
  path: `${address}/peek-code-bundle`,
  access: 'READ_WRITE',
  tag,
  summary: 'Whether a code bundle is there',
  body: Type.Object({ key: Type.String({ maxLength: 1000, description: 'The id of the bundle' }) }),
  status: 200,
  otherStatuses: { 404: 'The account has no such bundle' },
  response: Bundle,
  example: { body: example, response: bundleExample },
  handle: async ({ body: { key }, principal: { accountId } }, app: App) => {
    const row = uuid.test(key) ? await app.db.get(findBundle, { id: key, accountId }) : undefined
    if (!row) throw notFound()
    return shown(row)
  },
})

const download = route({
  method: 'POST',
  path: `${address}/download`,
  access: 'READ_WRITE',
  tag,
  summary: 'The archive of a code bundle',
  body: Key,
  status: 200,
  otherStatuses: { 404: 'The account has no such bundle' },
  response: sentAsIs(Type.String({ contentMediaType: contentType })),
  responseType: contentType,
  example: { body: example },
  handle: async ({ body: { key }, principal: { accountId } }, app: App & HasArtifacts) => {
    const row = await app.db.get(findBundle, { id: key, accountId })
    if (!row) throw notFound()
    const bytes = await app.artifacts.store.read(bundleKey(key), { start: 0, end: row.size })
    if (bytes === null) throw notFound()
    return bytes
  },
})

const snapshots = route({
  method: 'POST',
  path: `${address}/upload`,
  access: 'READ_WRITE',
  tag,
  summary: 'Not there: pictures that browser checks compare with',
  upload: contentType,
  status: 204,
  otherStatuses: { 422: 'Snapshots are not kept' },
  handle: () => {
    throw new ApiError(
      422,
      'Snapshots of browser checks are not kept here: compare pictures in a Playwright check suite, whose code bundle has them',
    )
  },
})

export const storageRoutes: Route<App & HasAllowances & HasArtifacts>[] = [upload, peek, download, snapshots]
