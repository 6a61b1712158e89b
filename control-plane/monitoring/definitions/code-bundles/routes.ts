/** Archives of Playwright projects: uploaded by people and their pipelines, fetched by agents. */

import { Type } from 'typebox'
import { bundleTicketHeader, codeBundlePath } from '../../../../protocol/checks/playwright-spec.ts'
import { agentKey } from '../../../access/api-keys/agent-key.ts'
import { requireUnused } from '../../../access/snippets/require-unused.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { HasArtifacts } from '../../../platform/store/artifact-store/store.ts'
import { offsetOf, pageParameters, pageReply } from '../../../platform/web/http/answers/offset-page.ts'
import { sentAsIs } from '../../../platform/web/http/answers/serialize.ts'
import { type Route, reply, route } from '../../../platform/web/http/route.ts'
import { notFound } from '../../../platform/words/errors.ts'
import type { HasAllowances } from '../../artifacts/allowances.ts'
import {
  checksOfBundle,
  countShownBundles,
  findBundle,
  listBundles,
  retireBundle,
  touchBundle,
} from './queries.ts'
import { discard, receiveBundle } from './receive-bundle.ts'
import { CodeBundle, Sha256, serializeBundle } from './schema.ts'
import { serveBundle } from './serve-bundle.ts'
import { unusedDays } from './sweep-bundles.ts'

const tag = 'Code bundles'
const address = '/v1/code-bundles'
const contentType = 'application/gzip'
const BundleId = Type.Object({ id: Type.String({ format: 'uuid' }) })

const example = {
  id: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  size: 48_211,
  files: 37,
  unpackedSize: 212_480,
  created_at: '2026-01-01T00:00:00.000Z',
}

const create = route({
  method: 'POST',
  path: address,
  access: 'READ_WRITE',
  tag,
  summary: 'Upload a code bundle',
  description:
    'The body is a Playwright project as a `tar.gz` of at most 150 MB, sent within a minute; `sha256` is its checksum. It ' +
    'holds files and folders with paths inside of it, a lock file among them, and no links; unpacked it has at most 1 GB and ' +
    '100,000 files. Checks name it as `codeBundleId`. An account has one content once: the same bytes again are answered ' +
    `with the bundle that is there (200). A bundle that no check runs is removed after ${unusedDays} days, and with the last ` +
    'check that ran it when that is deleted.',
  query: Type.Object({ sha256: Sha256 }, { additionalProperties: false }),
  upload: contentType,
  status: 201,
  otherStatuses: {
    200: 'The account has this content already',
    411: 'The length of the bundle is missing (`Content-Length`)',
    413: 'The bundle is too large, or the account has no room or too many bundles',
    422: 'The bytes do not have the checksum that `sha256` says',
    503: 'The upload took too long',
    507: 'There is no room for files; try again later',
  },
  response: CodeBundle,
  example: { query: { sha256: example.sha256 }, response: example },
  handle: async ({ query, headers, upload, principal }, app: App & HasAllowances & HasArtifacts) => {
    const length = headers['content-length']
    const { row, isNew } = await receiveBundle(app, {
      accountId: principal.accountId,
      sha256: query.sha256,
      length: length === undefined ? null : Number(length),
      body: upload,
    })
    return reply(serializeBundle(row), { status: isNew ? 201 : 200 })
  },
})

const list = route({
  method: 'GET',
  path: address,
  access: 'READ_ONLY',
  tag,
  summary: 'List code bundles, oldest first',
  query: Type.Object({ ...pageParameters, sha256: Type.Optional(Sha256) }, { additionalProperties: false }),
  status: 200,
  response: Type.Array(CodeBundle),
  example: { query: { limit: 20 }, response: [example] },
  handle: async ({ query, principal: { accountId } }, app) => {
    const filter = { accountId, sha256: query.sha256 }
    const total = await countShownBundles(app.db, filter)
    const rows = await listBundles(app.db, filter, { limit: query.limit, offset: offsetOf(query) })
    return pageReply({
      items: rows.map(serializeBundle),
      total,
      url: `${app.config.baseUrl}${address}`,
      query,
    })
  },
})

const read = route({
  method: 'GET',
  path: `${address}/:id`,
  access: 'READ_ONLY',
  tag,
  summary: 'One code bundle',
  params: BundleId,
  status: 200,
  response: CodeBundle,
  example: { params: { id: example.id }, response: example },
  handle: async ({ params, principal: { accountId } }, app) => {
    const row = await app.db.get(findBundle, { id: params.id, accountId })
    if (!row) throw notFound()
    return serializeBundle(row)
  },
})

const remove = route({
  method: 'DELETE',
  path: `${address}/:id`,
  access: 'READ_WRITE',
  tag,
  summary: 'Delete a code bundle',
  description: 'Refused while a check runs it.',
  params: BundleId,
  status: 204,
  otherStatuses: { 409: 'A check runs it' },
  example: { params: { id: example.id } },
  handle: ({ params, principal }, app: App & HasArtifacts) =>
    removeBundle(app, { ...params, accountId: principal.accountId }),
})

const removeBundle = async (
  app: App & HasArtifacts,
  { id, accountId }: { id: string; accountId: string },
): Promise<void> => {
  const now = app.clock.now()
  await app.db.transaction(async (trx) => {
    // Held from here on: a check that takes it up has done so, or no longer finds it.
    if ((await trx.run(touchBundle, { id, accountId, now })) === 0) throw notFound()
    const checkIds = (await trx.all(checksOfBundle, { bundleId: id })).map(({ check_id }) => check_id)
    requireUnused({ checkIds, groupIds: [] })
    await trx.run(retireBundle, { id, unusedSince: now })
  })
  await discard(app, id)
}

const fetchBundle = route({
  method: 'GET',
  path: codeBundlePath,
  access: agentKey,
  tag: 'Agents',
  summary: 'The archive that a claimed job names',
  description: 'For the agent that holds a job which was handed out with it. `ETag` is its SHA-256.',
  params: Type.Object({ bundleId: Type.String({ minLength: 1, maxLength: 64 }) }),
  requestHeaders: {
    [bundleTicketHeader]: 'The `bundleTicket` of the job',
    range: 'A range of bytes, such as `bytes=1048576-`',
    'if-range': 'The `ETag` of which `Range` is a part',
    'if-none-match': 'The `ETag` that the agent has: the same one is answered with 304',
  },
  status: 200,
  otherStatuses: {
    206: 'The range that was asked for',
    304: 'The agent has the archive already',
    416: 'The range is outside of the archive',
  },
  response: sentAsIs(Type.String({ contentMediaType: contentType })),
  responseType: contentType,
  example: { params: { bundleId: example.id } },
  handle: ({ params, headers, principal }, app: App & HasArtifacts & HasAllowances & HasCipher) =>
    serveBundle(app, { id: params.bundleId, location: principal.locationId, headers }),
})

export { list as listCodeBundles }

export const codeBundleRoutes: Route<App & HasAllowances & HasArtifacts & HasCipher>[] = [
  create,
  list,
  read,
  remove,
  fetchBundle,
]
