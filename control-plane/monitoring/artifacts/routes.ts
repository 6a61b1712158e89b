/** How agents upload what their runs leave behind (protocol/artifact.ts). */

import { Type } from 'typebox'
import {
  artifactPath,
  partContentType,
  UploadState,
  uploadOffsetHeader,
  uploadStatus,
} from '../../../protocol/artifact.ts'
import { agentKey } from '../../access/api-keys/agent-key.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasArtifacts } from '../../platform/store/artifact-store/store.ts'
import { type Reply, type Route, reply, route } from '../../platform/web/http/route.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { receivePart, uploadState } from './receive-part.ts'

const tag = 'Agents'

const params = Type.Object({
  resultId: Type.String({ minLength: 1, maxLength: 64 }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
})
const exampleParams = { resultId: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10', name: 'first-attempt.pcap' }

const unwanted = {
  [uploadStatus.unwanted]: 'No such file of such a result is waited for, or not from this location',
}

const withOffset = (state: UploadState): Reply<UploadState> =>
  reply(state, { headers: { [uploadOffsetHeader]: String(state.offset) } })

const read = route({
  method: 'GET',
  path: artifactPath,
  access: agentKey,
  tag,
  summary: 'How much of a file of a result has arrived',
  params,
  status: 200,
  otherStatuses: unwanted,
  response: UploadState,
  example: { params: exampleParams },
  handle: async ({ params, principal }, app: App & HasArtifacts) =>
    withOffset(await uploadState(app, { ...params, location: principal.locationId })),
})

const upload = route({
  method: 'PATCH',
  path: artifactPath,
  access: agentKey,
  tag,
  summary: 'Upload the next bytes of a file of a result; durable once answered',
  params,
  upload: partContentType,
  requestHeaders: { [uploadOffsetHeader]: 'Where in the file these bytes belong: as far as it has arrived' },
  status: 200,
  otherStatuses: {
    ...unwanted,
    [uploadStatus.elsewhere]: 'The file has arrived up to another offset: `attributes.offset`',
    [uploadStatus.damaged]: 'The bytes do not have the announced SHA-256; all of them are forgotten',
    507: 'There is no room for artifacts; try again later',
  },
  response: UploadState,
  example: { params: exampleParams },
  handle: async ({ params, headers, upload, principal }, app: App & HasArtifacts) =>
    withOffset(
      await receivePart(
        app,
        { ...params, location: principal.locationId },
        { offset: offsetOf(headers[uploadOffsetHeader]), length: lengthOf(headers), body: upload },
      ),
    ),
})

const offsetOf = (header: string | undefined): number => {
  if (!/^\d{1,12}$/.test(header ?? '')) throw new ApiError(400, 'Upload-Offset must be a number of bytes')
  return Number(header)
}

const lengthOf = (headers: Readonly<Record<string, string | undefined>>): number | null =>
  headers['content-length'] === undefined ? null : Number(headers['content-length'])

export const artifactRoutes: Route<App & HasArtifacts>[] = [read, upload]
