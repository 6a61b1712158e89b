import { type Static, Type } from 'typebox'
import { checkTypes } from './check-type.ts'
import { Instant } from './clock.ts'
import { runtimeIds } from './runtime.ts'

/** A variable of a run. `secret`: no result shows its value. */
const Variable = Type.Object({ key: Type.String(), value: Type.String(), secret: Type.Boolean() })

/** Runs that only those look at who asked for them: they change nothing of what is known of a check, and alert nobody. */
const testSources = ['LEGACY_TRIGGER', 'TEST_RECORD', 'TRIGGER_RECORD'] as const
export type TestSource = (typeof testSources)[number]

/** Why a run exists (`runSource` of check sessions). */
export const runSources = [
  'SCHEDULER',
  'SCHEDULE_NOW',
  'TRIGGER_API',
  'GROUP_RUN_ALL',
  ...testSources,
] as const

export const isTestRun = (runSource: string): boolean =>
  (testSources as readonly string[]).includes(runSource)

/**
 * A client certificate for the run. `host`: the one host that it is presented to, in lower case without a dot at its end.
 * `sealed` opens only for the agent that claimed the job, as JSON of `CertificateContent`: base64url of an X25519 public
 * key made for this certificate (32 bytes), the tag (16) and the ciphertext of AES-256-GCM, with the job's id as additional
 * data. Key and nonce are the first 32 and the next 12 bytes of HKDF-SHA256 (RFC 5869) over the shared secret (RFC 7748),
 * salted with both public keys, the certificate's first, with `sealedCertificateInfo`.
 */
export const SealedCertificate = Type.Object({ host: Type.String(), sealed: Type.String() })
export type SealedCertificate = Static<typeof SealedCertificate>

/** The `info` of HKDF (RFC 5869). */
export const sealedCertificateInfo = 'watchpost client certificate'

/** All in PEM. `ca`: authorities that the host's own certificate may come from, beside those that are trusted anyway. */
export const CertificateContent = Type.Object({
  cert: Type.String(),
  ca: Type.Union([Type.String(), Type.Null()]),
  key: Type.Union([Type.String(), Type.Null()]),
  passphrase: Type.Union([Type.String(), Type.Null()]),
})
export type CertificateContent = Static<typeof CertificateContent>

/**
 * What an agent claims: one attempt of one run in one location. `fence` is the lease's fencing token: it grows with
 * every claim of the job, and a report that carries an older one is refused. `dueAt` is the slot, `runAt` when to start
 * (never earlier); an agent may hold a job before it is due. `deadlineMs` bounds the whole attempt. `proxyUrl`: the
 * location's proxy for check traffic, with its credentials. `bundleTicket`: with it the agent fetches the spec's code bundle, as long as
 * it holds the job.
 */
export const Job = Type.Object({
  id: Type.String(),
  fence: Type.Integer({ minimum: 1 }),
  accountId: Type.String(),
  checkId: Type.String(),
  checkName: Type.String(),
  checkType: Type.Enum([...checkTypes]),
  runtimeId: Type.Union([Type.Enum([...runtimeIds]), Type.Null()]),
  runLocation: Type.String(),
  runSource: Type.Enum([...runSources]),
  checkRunId: Type.Integer(),
  sequenceId: Type.String(),
  attempt: Type.Integer({ minimum: 1 }),
  dueAt: Instant,
  runAt: Instant,
  deadlineMs: Type.Integer({ minimum: 1 }),
  variables: Type.Array(Variable),
  proxyUrl: Type.Optional(Type.String()),
  certificate: Type.Optional(SealedCertificate),
  bundleTicket: Type.Optional(Type.String({ maxLength: 200 })),
  spec: Type.Unknown(),
})
export type Job = Static<typeof Job>

/** Characters of all texts in a value, names of properties left out: about what it takes in memory or as JSON. Pure. */
export const textLength = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let length = 0
  for (const item of Object.values(value)) length += textLength(item)
  return length
}
