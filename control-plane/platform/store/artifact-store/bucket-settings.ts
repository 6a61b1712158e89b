/** What ARTIFACTS_URL says of an object store, and the variables that go with it. Pure. */
export type BucketSettings = {
  bucket: string
  /** Empty, or with a slash at its end. */
  prefix: string
  /** Null: AWS's own of the region. */
  endpoint: string | null
  region: string
  /** Null: what the SDK finds (a profile, the role of a machine or a pod). */
  credentials: Credentials | null
}

type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string }

type Text = (name: string) => string | null

const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const segment = /^(?!\.{1,2}$)[\w.!*'()-]+$/

/** Problems never show the value: it may hold a key. Null when ARTIFACTS_URL is no such address. */
export const readBucket = (text: Text, problems: string[]): BucketSettings | null => {
  const [, bucket, path = ''] = /^s3:\/\/([^/]*)(?:\/(.*))?$/is.exec(text('ARTIFACTS_URL') ?? '') ?? []
  if (bucket === undefined) return null
  const segments = path.replace(/\/$/, '').split('/')
  if (!bucketName.test(bucket))
    problems.push(
      'ARTIFACTS_URL must be s3://bucket or s3://bucket/prefix, the bucket of 3 to 63 lower case letters, digits, dots and hyphens; keys go into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    )
  else if (path !== '' && !segments.every((part) => segment.test(part)))
    problems.push(
      "ARTIFACTS_URL: the prefix must be of letters, digits and _.!*'()- between single slashes, such as s3://bucket/watchpost/files",
    )
  return Object.freeze({
    bucket,
    prefix: path === '' ? '' : `${segments.join('/')}/`,
    ...readServer(text, problems),
    credentials: readCredentials(text, problems),
  })
}

const readServer = (text: Text, problems: string[]): Pick<BucketSettings, 'endpoint' | 'region'> => {
  const endpoint = text('AWS_ENDPOINT_URL_S3') ?? text('AWS_ENDPOINT_URL')
  const region = text('AWS_REGION') ?? text('AWS_DEFAULT_REGION')
  if (endpoint !== null && !/^https?:\/\/[^\s/@]+\/?$/.test(endpoint))
    problems.push('AWS_ENDPOINT_URL must be an http or https address without a path, user or password')
  if (endpoint === null && region === null)
    problems.push(
      'AWS_REGION is required with ARTIFACTS_URL=s3://… (or AWS_ENDPOINT_URL for a store that is not at AWS)',
    )
  // What signatures name where nothing else is said.
  return { endpoint, region: region ?? 'us-east-1' }
}

const readCredentials = (text: Text, problems: string[]): Credentials | null => {
  const [accessKeyId, secretAccessKey] = [text('AWS_ACCESS_KEY_ID'), text('AWS_SECRET_ACCESS_KEY')]
  const sessionToken = text('AWS_SESSION_TOKEN')
  if ((accessKeyId === null) !== (secretAccessKey === null))
    problems.push('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY go together: set both, or none')
  if (accessKeyId === null || secretAccessKey === null) return null
  return Object.freeze({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === null ? {} : { sessionToken }),
  })
}

export const bucketVariables = [
  {
    name: 'AWS_ENDPOINT_URL',
    default: 'that of AWS_REGION at AWS',
    meaning:
      'with s3://: address of any store that speaks S3, with the bucket in the path; AWS_ENDPOINT_URL_S3 goes before it',
  },
  {
    name: 'AWS_REGION',
    default: 'AWS_DEFAULT_REGION, or us-east-1 with AWS_ENDPOINT_URL',
    meaning: 'with s3://: region of the bucket; required at AWS',
  },
  {
    name: 'AWS_ACCESS_KEY_ID',
    default: "the SDK's search",
    meaning: 'with s3://: who may use the bucket; unset: a profile, or the role of the machine or pod',
  },
  { name: 'AWS_SECRET_ACCESS_KEY', secret: true, default: 'unset', meaning: 'the secret of that key' },
  {
    name: 'AWS_SESSION_TOKEN',
    secret: true,
    default: 'unset',
    meaning: 'the token that comes with a temporary key',
  },
]
