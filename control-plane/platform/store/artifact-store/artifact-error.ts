/**
 * What keeps an object store from its work: `away` (it does not answer, or fails), `refused` (it answers, and does not let us),
 * `full`, `busy` (we have too much under way).
 */
export type ArtifactErrorKind = 'away' | 'refused' | 'full' | 'busy'

/** Says nothing but what is listed here: what stores and SDKs write into their errors may hold keys and signatures. */
export class ArtifactError extends Error {
  readonly kind: ArtifactErrorKind
  /** As a folder says that it is full. */
  readonly code: string
  constructor(kind: ArtifactErrorKind, what: string) {
    super(`${sayings[kind]} (${what})`)
    this.name = 'ArtifactError'
    this.kind = kind
    this.code = kind === 'full' ? 'ENOSPC' : ''
  }
}

const sayings: Record<ArtifactErrorKind, string> = {
  away: 'The object store of ARTIFACTS_URL cannot be reached or fails',
  refused: 'The object store of ARTIFACTS_URL does not let us',
  full: 'The object store of ARTIFACTS_URL is full',
  busy: 'Uploads to the object store of ARTIFACTS_URL hold all the memory that they may',
}

type Failure = { name?: unknown; code?: unknown; $metadata?: { httpStatusCode?: unknown } }

const fullNames = /^(XMinioStorageFull|XMinioAdminBucketQuotaExceeded|QuotaExceeded|InsufficientStorage)$/
/** They ask for another try with their status of four hundred and something. */
const passingNames = /^(RequestTimeout|RequestTimeTooSkewed|SlowDown|Throttling\w*|TooManyRequests\w*)$/
/** The SDK found no credentials, so it sent no request. */
const ownNames = /^(CredentialsProviderError|TokenProviderError)$/

/** What an error of the SDK is to us. Pure. */
export const artifactErrorOf = (error: unknown): ArtifactError => {
  const { name, code, $metadata } = (typeof error === 'object' && error !== null ? error : {}) as Failure
  const status = typeof $metadata?.httpStatusCode === 'number' ? $metadata.httpStatusCode : null
  const word = [code, name].map(String).find((text) => /^\w{3,60}$/.test(text) && text !== 'undefined')
  const what = [word ?? 'no reason given', ...(status === null ? [] : [`status ${status}`])].join(', ')
  return new ArtifactError(kindOf(String(name), status), what)
}

const kindOf = (name: string, status: number | null): ArtifactErrorKind => {
  if (status === 507 || fullNames.test(name)) return 'full'
  if (ownNames.test(name)) return 'refused'
  if (status === null || status < 300 || status === 429 || status >= 500 || passingNames.test(name))
    return 'away'
  return 'refused'
}
