/** Playwright's trace viewer, served as it is: files of a package that hold nobody's data. */
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import { sentAsIs } from '../../platform/web/http/answers/serialize.ts'
import { type Reply, type Route, reply, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { guardedWorker, playwrightWorker } from './guarded-worker.ts'
import { type HasTraceViewer, otherTypesOfFiles, viewerFiles } from './viewer-files.ts'
import { assetPolicy, pagePolicy, snapshotPolicy, viewerPath, workerPolicy } from './viewer-policy.ts'

type Headers = Readonly<Record<string, string | undefined>>

const worker = 'sw.bundle.js'
/** Their names hold hashes of what is in them. */
const isLasting = (path: string): boolean => /[.-][\w-]{8}\.(js|css|ttf)$/.test(path)

const served = async (
  app: App & HasTraceViewer,
  path: string,
  headers: Headers,
): Promise<Reply<Readable>> => {
  const files = viewerFiles(app)
  const file = files?.get(path === playwrightWorker ? worker : path)
  if (file === undefined) throw notFound()
  const { baseUrl } = app.config
  if (path === worker) {
    const guard = Buffer.from(guardedWorker(snapshotPolicy(baseUrl)))
    return sent(guard, { type: file.type, policy: workerPolicy(baseUrl), path })
  }
  const policy = path.endsWith('.html') ? pagePolicy(baseUrl, file.bytes.toString()) : assetPolicy
  const isPacked = /\bgzip\b/.test(headers['accept-encoding'] ?? '')
  return sent(isPacked ? await file.packed() : file.bytes, { type: file.type, policy, path, isPacked })
}

type Sent = { type: string; policy: string; path: string; isPacked?: boolean }

const sent = (body: Buffer, { type, policy, path, isPacked = false }: Sent): Reply<Readable> =>
  reply(Readable.from([body]), {
    headers: {
      'content-type': type,
      'content-length': String(body.length),
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
      vary: 'accept-encoding',
      'cache-control': isLasting(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
      'content-security-policy': policy,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
    },
  })

const name = Type.String({ minLength: 1, maxLength: 200 })

const fileRoute = (
  path: string,
  pathOf: (params: { name: string }) => string,
  example: string,
): Route<App & HasTraceViewer> =>
  route({
    method: 'GET',
    path,
    access: 'PUBLIC',
    tag: 'Check results',
    summary: path.includes('assets') ? "Code of Playwright's trace viewer" : "Playwright's trace viewer",
    description:
      'Files of the Playwright package of an installed runtime, for people who come from the page of a result; needs no key. 404 where ' +
      'no runtime is installed.',
    params: Type.Object({ name }),
    status: 200,
    response: sentAsIs(Type.String({ contentMediaType: 'text/html' })),
    responseType: 'text/html',
    otherTypes: { success: otherTypesOfFiles },
    example: { params: { name: example } },
    handle: ({ params, headers }, app: App & HasTraceViewer) => served(app, pathOf(params), headers),
  })

export const traceViewerRoutes: Route<App & HasTraceViewer>[] = [
  fileRoute(`${viewerPath}/:name`, ({ name }) => name, 'index.html'),
  fileRoute(`${viewerPath}/assets/:name`, ({ name }) => `assets/${name}`, 'codeMirrorModule-a5XoALAZ.js'),
]
