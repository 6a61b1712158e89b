/** The files that pages name, under names with their hashes: kept by browsers for good. */
import { Type } from 'typebox'
import { sentAsIs } from '../../platform/web/http/answers/serialize.ts'
import { type Route, reply, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { assets } from './all.ts'

const byPath = new Map(assets.map((asset) => [asset.path, asset]))

const read = route({
  method: 'GET',
  path: '/assets/:file',
  access: 'PUBLIC',
  tag: 'Pages',
  summary: 'A script, style or picture of our pages',
  params: Type.Object({ file: Type.String({ maxLength: 200 }) }),
  status: 200,
  otherStatuses: { 404: 'No page names it' },
  responseType: 'text/javascript',
  response: sentAsIs(),
  otherTypes: { success: ['text/css', 'image/svg+xml', 'image/png', 'image/x-icon'] },
  example: { params: { file: 'status.0123456789abcdef.js' } },
  handle: ({ params: { file }, headers }) => {
    const asset = byPath.get(`/assets/${file}`)
    if (asset === undefined) throw notFound()
    const isPacked = /\bgzip\b/.test(headers['accept-encoding'] ?? '')
    return reply(isPacked ? asset.gzip : asset.bytes, {
      headers: {
        'content-type': asset.contentType,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
        ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
      },
    })
  },
})

export const assetRoutes: Route[] = [read]
