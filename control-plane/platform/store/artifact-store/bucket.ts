/** The few requests that we make of an object store. The SDK is loaded with the first one: who keeps files in a folder never does. */
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { type ProxySettings, proxyEnvFor } from '../../../../protocol/networks/proxy.ts'
import { artifactErrorOf } from './artifact-error.ts'
import type { BucketSettings } from './bucket-settings.ts'

/** Names are below the prefix. @throws ArtifactError */
export type Bucket = {
  put(name: string, bytes: Uint8Array): Promise<void>
  /** From `start` up to `end`, which is not included, or as many of them as there are; null when there is no such object. */
  get(name: string, range: { start: number; end: number }): Promise<Uint8Array | null>
  /** By name. */
  list(start: string): Promise<BucketObject[]>
  /** Also when it does not exist. */
  remove(name: string): Promise<void>
}

type BucketObject = { name: string; size: number }

const connectWithinMs = 5000
const answerWithinMs = 20_000
/** A request with all its attempts. */
const doneWithinMs = 60_000
const maxAttempts = 3
const maxSockets = 64

type Sdk = typeof import('@aws-sdk/client-s3')
type Session = { sdk: Sdk; client: S3Client }

export const openBucket = (settings: BucketSettings, proxies: ProxySettings): Bucket => {
  let opening: Promise<Session> | undefined
  const { bucket: Bucket, prefix } = settings
  const ask = async <T>(request: (session: Session, signal: AbortSignal) => Promise<T>): Promise<T> => {
    opening ??= openSession(settings, proxies)
    const session = await opening
    try {
      return await request(session, AbortSignal.timeout(doneWithinMs))
    } catch (error) {
      // A fault of ours stays one.
      throw error instanceof TypeError ? error : artifactErrorOf(error)
    }
  }
  const at = (name: string) => ({ Bucket, Key: `${prefix}${name}` })
  return {
    put: (name, bytes) =>
      ask(async ({ sdk, client }, abortSignal) => {
        const object = { ...at(name), Body: bytes, ContentLength: bytes.length }
        await client.send(new sdk.PutObjectCommand(object), { abortSignal })
      }),
    get: (name, { start, end }) =>
      ask(async ({ sdk, client }, abortSignal) => {
        const request = new sdk.GetObjectCommand({ ...at(name), Range: `bytes=${start}-${end - 1}` })
        try {
          const { Body } = await client.send(request, { abortSignal })
          return (await Body?.transformToByteArray()) ?? new Uint8Array()
        } catch (error) {
          if (error instanceof sdk.NoSuchKey) return null
          if ((error as Error).name === 'InvalidRange') return new Uint8Array()
          throw error
        }
      }),
    list: (start) =>
      ask(async ({ sdk, client }, abortSignal) => {
        const found: BucketObject[] = []
        const asked = { Bucket, Prefix: `${prefix}${start}` }
        for await (const page of sdk.paginateListObjectsV2({ client }, asked, { abortSignal }))
          for (const { Key = '', Size = 0 } of page.Contents ?? [])
            found.push({ name: Key.slice(prefix.length), size: Size })
        return found
      }),
    remove: (name) =>
      ask(async ({ sdk, client }, abortSignal) => {
        await client.send(new sdk.DeleteObjectCommand(at(name)), { abortSignal })
      }),
  }
}

const openSession = async (settings: BucketSettings, proxies: ProxySettings): Promise<Session> => {
  const sdk = await import('@aws-sdk/client-s3')
  return { sdk, client: new sdk.S3Client(clientConfig(settings, proxies)) }
}

const clientConfig = (
  { bucket, endpoint, region, credentials }: BucketSettings,
  proxies: ProxySettings,
): S3ClientConfig => ({
  region,
  // Stores that people run themselves rarely have a name of their own for every bucket.
  ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
  // A copy: the SDK writes into what it is given.
  ...(credentials === null ? {} : { credentials: { ...credentials } }),
  maxAttempts,
  // Every file has a hash of ours; some compatible stores know no others.
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
  // Who waits for leave to send a body has, in the SDK, sockets of another kind: any number, and past the proxy.
  expectContinueHeader: false,
  requestHandler: {
    connectionTimeout: connectWithinMs,
    requestTimeout: answerWithinMs,
    throwOnRequestTimeout: true,
    ...socketsFor(new URL(endpoint ?? `https://${bucket}.s3.${region}.amazonaws.com`), proxies),
  },
})

const socketsFor = (server: URL, proxies: ProxySettings) => {
  const sockets = { maxSockets, proxyEnv: proxyEnvFor(server, proxies) }
  return {
    httpAgent: sockets,
    httpsAgent: sockets,
  }
}
