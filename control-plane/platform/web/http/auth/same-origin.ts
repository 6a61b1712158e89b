/**
 * Forms are sent from our own pages only (cross-site request forgery): browsers say where a form comes from, and no page can make them
 * say otherwise. What says nothing is no browser, and has no cookie that somebody else could use.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../../../words/errors.ts'

/** @throws ApiError 403 for a request that another origin's page makes */
export const requireSameOrigin = ({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): void => {
  if (site === 'same-origin' || (site === undefined && origin === undefined)) return
  if (site !== undefined && site !== 'none' && origin === undefined) throw foreign()
  if (origin !== undefined && hostOf(origin) !== host?.toLowerCase()) throw foreign()
}

/** Null for the origin of sandboxed pages, which is opaque. */
const hostOf = (origin: string): string | null => URL.parse(origin)?.host ?? null

const foreign = (): ApiError => new ApiError(403, 'The form was sent from another site')
