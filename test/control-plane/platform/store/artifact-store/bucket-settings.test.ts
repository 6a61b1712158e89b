import t from 'tap'
import { readBucket } from '../../../../../control-plane/platform/store/artifact-store/bucket-settings.ts'

const read = (env: Record<string, string>) => {
  const problems: string[] = []
  return { settings: readBucket((name) => env[name] ?? null, problems), problems }
}

const keys = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' }

t.test('a bucket at AWS and elsewhere', async (t) => {
  t.strictSame(read({ ARTIFACTS_URL: 's3://files/a/b/', AWS_REGION: 'eu-central-1', ...keys }), {
    settings: {
      bucket: 'files',
      prefix: 'a/b/',
      endpoint: null,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    },
    problems: [],
  })
  const elsewhere = { ARTIFACTS_URL: 's3://files', AWS_ENDPOINT_URL: 'http://a', AWS_SESSION_TOKEN: 'token' }
  t.match(read({ ...elsewhere, AWS_ENDPOINT_URL_S3: 'http://10.0.0.1:9000', ...keys }), {
    settings: {
      prefix: '',
      endpoint: 'http://10.0.0.1:9000',
      region: 'us-east-1',
      credentials: { sessionToken: 'token' },
    },
    problems: [],
  })
  t.match(read(elsewhere), { settings: { credentials: null }, problems: [] }, 'the SDK looks for keys')
})

t.test('another address is none of ours to judge', async (t) => {
  t.strictSame(read({ ARTIFACTS_URL: 'file:/srv', AWS_ACCESS_KEY_ID: 'of something else' }), {
    settings: null,
    problems: [],
  })
})

t.test('what is wrong names the fix, and never the value', async (t) => {
  const region = { AWS_REGION: 'eu-central-1' }
  for (const [env, sentence] of [
    [{ ARTIFACTS_URL: 's3://', ...region }, /s3:\/\/bucket\/prefix/],
    [{ ARTIFACTS_URL: 's3://ab', ...region }, /3 to 63/],
    [{ ARTIFACTS_URL: 's3://hush:hush@files', ...region }, /keys go into AWS_ACCESS_KEY_ID/],
    [{ ARTIFACTS_URL: 's3://files/a//hush', ...region }, /between single slashes/],
    [{ ARTIFACTS_URL: 's3://files/../hush', ...region }, /between single slashes/],
    [{ ARTIFACTS_URL: 's3://files?hush', ...region }, /s3:\/\/bucket\/prefix/],
    [{ ARTIFACTS_URL: 's3://files' }, /AWS_REGION is required/],
    [
      { ARTIFACTS_URL: 's3://files', AWS_ENDPOINT_URL: 'https://hush:hush@store' },
      /AWS_ENDPOINT_URL must be/,
    ],
    [{ ARTIFACTS_URL: 's3://files', ...region, AWS_ACCESS_KEY_ID: 'hush' }, /go together/],
    [{ ARTIFACTS_URL: 's3://files', ...region, AWS_SECRET_ACCESS_KEY: 'hush' }, /go together/],
  ] as const) {
    const { problems } = read(env)
    t.equal(problems.length, 1, JSON.stringify(env))
    t.match(problems[0], sentence)
    t.notMatch(problems[0], /hush/)
  }
})
