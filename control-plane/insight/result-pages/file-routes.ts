/** The files of a result for whoever has its page's address, and one trace for the viewer. */

import { Type } from 'typebox'
import { openToken } from '../../alerting/messages/result-link.ts'
import { artifactsOfResult } from '../../monitoring/artifacts/queries.ts'
import { findResult } from '../../monitoring/results/queries.ts'
import { serveAsset } from '../../monitoring/results/serve-asset.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import type { HasArtifacts } from '../../platform/store/artifact-store/store.ts'
import type { ArtifactsTable } from '../../platform/store/database/tables/artifacts.ts'
import { sentAsIs } from '../../platform/web/http/answers/serialize.ts'
import { type Reply, type Route, reply, route } from '../../platform/web/http/route.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import { tracePath, viewerPath } from '../trace-viewer/viewer-policy.ts'
import { isTrace, shownAs } from './file-kind.ts'
import { fileLink, fileLinkMs, openFileToken } from './file-token.ts'
import { refusals, refuse } from './refusals.ts'

const tag = 'Check results'
const token = 'bww_Ho8LTFWaPio9HS9LEQGTHzpcfXzAiwoPbS8cmhBpf4GAd0mY0nHq3m6vFQkz1Wb8ZrTA'
const bytes = sentAsIs(Type.String({ contentMediaType: 'application/octet-stream' }))
const OneFile = Type.Object({ token: Type.String(), position: Type.Integer({ minimum: 0, maximum: 9999 }) })
const partly = {
  206: 'The range that was asked for',
  304: 'The client has the file already',
  416: 'The range is outside of the file',
}
const gone = {
  404: 'The link is not one of ours, or there is no such file',
  410: 'The link has expired, or the result is gone',
}
/** A page with pictures asks for each, and a video is asked for in parts. */
const rateLimit = { requests: 300, seconds: 60 }

type Headers = Readonly<Record<string, string | undefined>>
type Found = { file: ArtifactsTable; expiresAt: number } | { refusal: Reply<string> }

/** The file of a complete address; what it refuses it says as the page does. */
const fileOf = async (
  app: App & HasCipher,
  { token, position }: { token: string; position: number },
  headers: Headers,
): Promise<Found> => {
  const linked = openToken(app, token)
  if (linked === undefined || linked.resultId === null) return { refusal: refuse(refusals.wrong, headers) }
  const { checkId, resultId: id, expiresAt } = linked
  if (expiresAt <= app.clock.now()) return { refusal: refuse(refusals.expired, headers) }
  if ((await findResult(app.db, { id, checkId })) === undefined)
    return { refusal: refuse(refusals.gone, headers) }
  const files = await app.db.all(artifactsOfResult, { resultId: id })
  const file = files.find((each) => each.position === position && each.completed_at !== null)
  return file === undefined ? { refusal: refuse(refusals.noFile, headers) } : { file, expiresAt }
}

const asPage = (refusal: Reply<string>): Reply<string> => ({
  ...refusal,
  headers: { ...refusal.headers, 'content-type': 'text/html; charset=utf-8' },
})

const file = route({
  method: 'GET',
  path: '/results/:token/files/:position',
  access: 'PUBLIC',
  tag,
  summary: 'A file of a result, as its page names it',
  description:
    'For people; needs no key. Pictures and videos that the page shows have their own type, all else is an attachment. Programs read ' +
    '`/v1/check-results/{checkId}/{checkResultId}/assets` with a key.',
  params: OneFile,
  status: 200,
  otherStatuses: { ...partly, ...gone },
  response: bytes,
  responseType: 'application/octet-stream',
  otherTypes: { success: ['image/png', 'image/jpeg', 'video/webm'], errors: ['text/html'] },
  rateLimit,
  example: { params: { token, position: '0' } },
  handle: async ({ params, headers }, app: App & HasArtifacts & HasCipher) => {
    const found = await fileOf(app, params, headers)
    if ('refusal' in found) return asPage(found.refusal)
    const { result_id: resultId, name } = found.file
    return serveAsset(app, { resultId, name, headers, shownAs: shownAs(found.file) })
  },
})

const trace = route({
  method: 'GET',
  path: '/results/:token/traces/:position',
  access: 'PUBLIC',
  tag,
  summary: "Opens a trace of a result in Playwright's viewer",
  description:
    'For people; needs no key. Makes an address of this one file that works for an hour, and leads to the viewer with it.',
  params: OneFile,
  status: 303,
  otherStatuses: gone,
  response: Type.String(),
  responseType: 'text/html',
  otherTypes: { errors: ['text/html'] },
  rateLimit: { requests: 60, seconds: 60 },
  example: { params: { token, position: '0' } },
  handle: async ({ params, headers }, app: App & HasCipher) => {
    const found = await fileOf(app, params, headers)
    if ('refusal' in found) return found.refusal
    if (!isTrace(found.file)) return refuse(refusals.noFile, headers)
    const { result_id: resultId, position } = found.file
    // Not longer than the page that led here.
    const expiresAt = Math.min(found.expiresAt, app.clock.now() + fileLinkMs)
    const address = encodeURIComponent(fileLink(app, { resultId, position, expiresAt }))
    return reply('', {
      headers: {
        location: `${app.config.baseUrl}${viewerPath}/index.html?trace=${address}`,
        'cache-control': 'private, no-store',
        'referrer-policy': 'no-referrer',
      },
    })
  },
})

const signedFile = route({
  method: 'GET',
  path: `${tracePath}/:token`,
  access: 'PUBLIC',
  tag,
  summary: 'The trace that the viewer was opened with',
  description:
    'For the viewer; needs no key. The token is made by the control plane and names one file for an hour.',
  params: Type.Object({ token: Type.String() }),
  requestHeaders: { range: 'A range of bytes, such as `bytes=0-1023`' },
  status: 200,
  otherStatuses: { ...partly, ...gone },
  response: bytes,
  responseType: 'application/octet-stream',
  rateLimit,
  example: { params: { token: 'AZMfOlx9fMCLCg9tLxyaEAAAaWL8gBs5m2b0nHq3m6vFQkz1Wb8ZrTA0' } },
  handle: async ({ params, headers }, app: App & HasCipher & HasArtifacts) => {
    const linked = openFileToken(app, params.token)
    if (linked === undefined) throw notFound()
    if (linked.expiresAt <= app.clock.now()) throw new ApiError(410, 'This link has expired')
    const files = await app.db.all(artifactsOfResult, { resultId: linked.resultId })
    const found = files.find(({ position }) => position === linked.position)
    if (found === undefined) throw notFound()
    return serveAsset(app, { resultId: linked.resultId, name: found.name, headers })
  },
})

export const resultFileRoutes: Route<App & HasArtifacts & HasCipher>[] = [file, trace, signedFile]
