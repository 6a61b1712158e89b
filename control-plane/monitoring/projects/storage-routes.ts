/** Code bundles at the addresses of command-line clients: the same bundles as at `/v1/code-bundles`, by keys that are their ids. */
import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasArtifacts } from '../../platform/store/artifact-store/store.ts'
import { sentAsIs } from '../../platform/web/http/answers/serialize.ts'
import { type Route, reply, route } from '../../platform/web/http/route.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import type { HasAllowances } from '../artifacts/allowances.ts'
import { findBundle } from '../definitions/code-bundles/queries.ts'
import { bundleKey, receiveBundle } from '../definitions/code-bundles/receive-bundle.ts'

const tag = 'Code bundles'
const address = '/next/checkly-storage'
const contentType = 'application/octet-stream'
const Key = Type.Object({ key: Type.String({ format: 'uuid', description: 'The id of the bundle' }) })
const example = { key: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10' }

const upload = route({
  method: 'POST',
  path: `${address}/upload-code-bundle`,
  access: 'READ_WRITE',
  tag,
  summary: 'Upload a code bundle whose checksum is not announced',
  description:
    'As `POST /v1/code-bundles`; deployments name it as `codeBundlePath`, checks as `codeBundleId`.',
  upload: contentType,
  status: 201,
  otherStatuses: {
    200: 'The account has this content already',
    411: 'The length of the bundle is missing (`Content-Length`)',
    413: 'The bundle is too large, or the account has no room or too many bundles',
    422: 'Not all of it came',
    503: 'The upload took too long',
    507: 'There is no room for files; try again later',
  },
  response: Key,
  example: { response: example },
  handle: async ({ headers, upload: body, principal }, app: App & HasAllowances & HasArtifacts) => {
    const length = headers['content-length']
    const { row, isNew } = await receiveBundle(app, {
      accountId: principal.accountId,
      sha256: null,
      length: length === undefined ? null : Number(length),
      body,
    })
    return reply({ key: row.id }, { status: isNew ? 201 : 200 })
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

export const storageRoutes: Route<App & HasAllowances & HasArtifacts>[] = [upload, download, snapshots]
