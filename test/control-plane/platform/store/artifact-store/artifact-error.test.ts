import t from 'tap'
import { artifactErrorOf } from '../../../../../control-plane/platform/store/artifact-store/artifact-error.ts'

/** As the SDK throws them: with what the store wrote, which may hold keys and what was signed. */
const thrown = (name: string, httpStatusCode?: number, more: object = {}): Error =>
  Object.assign(new Error(`${name} for key hush`), {
    name,
    $metadata: { httpStatusCode },
    AWSAccessKeyId: 'hush',
    StringToSign: 'hush',
    ...more,
  })

t.test('what an error of the SDK is to us', async (t) => {
  for (const [error, kind] of [
    [thrown('Error', undefined, { code: 'ECONNREFUSED' }), 'away'],
    [thrown('TimeoutError'), 'away'],
    [thrown('AbortError'), 'away'],
    [thrown('InternalError', 500), 'away'],
    [thrown('SlowDown', 503), 'away'],
    [thrown('RequestTimeout', 400), 'away'],
    [thrown('TooManyRequests', 429), 'away'],
    [thrown('SignatureDoesNotMatch', 403), 'refused'],
    [thrown('NoSuchBucket', 404), 'refused'],
    [thrown('PermanentRedirect', 301), 'refused'],
    [thrown('CredentialsProviderError'), 'refused'],
    [thrown('XMinioStorageFull', 507), 'full'],
    [thrown('QuotaExceeded', 403), 'full'],
    ['no error at all', 'away'],
    [null, 'away'],
  ] as const) {
    const made = artifactErrorOf(error)
    t.equal(made.kind, kind, String(error))
    t.notMatch(JSON.stringify({ ...made, message: made.message, cause: made.cause }), /hush/)
  }
  t.equal(artifactErrorOf(thrown('QuotaExceeded', 403)).code, 'ENOSPC', 'as a folder says it')
  t.match(artifactErrorOf(thrown('NoSuchBucket', 404)).message, /\(NoSuchBucket, status 404\)$/)
  t.match(artifactErrorOf(thrown('hush <b>'.repeat(20), 400)).message, /\(no reason given, status 400\)$/)
})
