/** A host name that is none of ours may mean a page with a domain of its own: its addresses are then that page's. */
import type { IncomingMessage, RequestListener } from 'node:http'
import type { App } from '../../../app/app.ts'

/** Files of pages are where pages name them, whatever the host. */
const common = /^\/(assets\/|livez$|readyz$|healthz$)/

export const withHostedPaths =
  (app: App & HasHosts, serve: RequestListener): RequestListener =>
  (request, response) => {
    const { url = '/' } = request
    if (common.test(url) || app.lookups.isOwnHost(app, request.headers.host)) return serve(request, response)
    rewrite(app, request).then(
      () => serve(request, response),
      (error: unknown) => {
        app.log.warn({ err: error }, 'The page of a host could not be looked up')
        serve(request, response)
      },
    )
  }

const rewrite = async (app: App & HasHosts, request: IncomingMessage): Promise<void> => {
  const prefix = await app.lookups.prefixOfHost(app, request.headers.host)
  const { url = '/' } = request
  if (prefix !== null)
    request.url = url === '/' || url.startsWith('/?') ? `${prefix}${url.slice(1)}` : `${prefix}${url}`
}

/** Answered by `control-plane/lookups.ts`. */
export type HasHosts = {
  lookups: {
    /** Whether a host name is the installation's own, and not one of a page's. */
    isOwnHost(app: App, host: string | undefined): boolean
    /** Where the paths of a host name begin that is a page's own; null for all others. */
    prefixOfHost(app: App, host: string | undefined): Promise<string | null>
  }
}
