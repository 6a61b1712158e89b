/** What a start says of an object store that it cannot work with. */
import t from 'tap'
import { objectStoreProblem, secretKey, startObjectStore } from '../support/object-store.ts'
import { endsWith, listening, scratchFolder, spawnControlPlane } from '../support/programs.ts'

t.test('a bucket and keys that fit', { skip: objectStoreProblem() ?? false }, async (t) => {
  const server = await startObjectStore(t)
  const start = async (env: Record<string, string>) =>
    endsWith(t, spawnControlPlane({ dataDir: await scratchFolder(t), env: { ...server.env, ...env } }))

  for (const [env, reason] of [
    [{ ARTIFACTS_URL: 's3://no-such-bucket/prefix' }, /NoSuchBucket, status 404/],
    [{ AWS_SECRET_ACCESS_KEY: `${secretKey}-of-another-store` }, /SignatureDoesNotMatch, status 403/],
  ] as const) {
    const refused = await start(env)
    t.equal(await refused.exitCode(), 1)
    const sentence = refused.output().trim().split('\n').at(-1) ?? ''
    t.match(
      sentence,
      /^The object store of ARTIFACTS_URL does not let us .*: make its bucket, correct AWS_REGION/,
    )
    t.match(sentence, reason)
    t.notMatch(refused.output(), new RegExp(secretKey))
  }

  const fitting = await listening(await start({}))
  t.notMatch(fitting.output(), /ARTIFACTS_URL/)
  t.strictSame(server.objects(), [], 'what was tried is gone')

  await server.goAway()
  const without = await listening(await start({}))
  t.match(without.output(), /cannot be reached or fails \(ECONNREFUSED\): agents keep the files/)
})

t.test('an address that names no bucket', async (t) => {
  const env = { ARTIFACTS_URL: 's3://UPPER/case' }
  const refused = endsWith(t, spawnControlPlane({ dataDir: await scratchFolder(t), env }))
  t.equal(await refused.exitCode(), 1)
  t.match(refused.output(), /ARTIFACTS_URL must be s3:\/\/bucket or s3:\/\/bucket\/prefix/)
})
