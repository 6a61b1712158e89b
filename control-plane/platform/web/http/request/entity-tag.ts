/** Versions of a resource (RFC 9110 section 8.8.3), so that of two clients changing one thing the later one notices. */
import { ApiError } from '../../../words/errors.ts'

export const entityTag = (version: number): string => `"${version}"`

/** For a route's `requestHeaders`. */
export const ifMatchHeader = {
  'if-match': 'The `ETag` of the version to change; another version is answered with 412',
}

/** For a route's `otherStatuses`. */
export const changedMeanwhile = { 412: 'It was changed since the version in `If-Match`' }

/** Strong comparison with any tag of the list (section 13.1.1). @throws ApiError 412 */
export const requireVersion = (ifMatch: string | undefined, version: number): void => {
  if (ifMatch === undefined) return
  const tag = entityTag(version)
  const wanted = ifMatch.split(',').map((candidate) => candidate.trim())
  if (!wanted.some((candidate) => candidate === '*' || candidate === tag))
    throw new ApiError(412, 'It was changed by somebody else', { attributes: { etag: tag } })
}

/** Whether a client has this version already, by its `If-None-Match`: weak comparison (section 13.1.2). */
export const isKnownVersion = (ifNoneMatch: string | undefined, tag: string): boolean =>
  (ifNoneMatch ?? '')
    .split(',')
    .map((candidate) => candidate.trim().replace(/^W\//, ''))
    .some((candidate) => candidate === '*' || candidate === tag)
