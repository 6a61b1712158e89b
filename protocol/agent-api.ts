import { type Static, Type } from 'typebox'
import { checkTypes } from './check-type.ts'
import { suiteEngines } from './checks/playwright-spec.ts'
import { Instant } from './clock.ts'
import { Job } from './job.ts'
import { Report } from './result.ts'
import { runtimeIds } from './runtime.ts'
import { AgentId, OrdersHeld, OrdersKnown } from './standing-order.ts'

/**
 * The wire between agent and control plane: JSON over HTTP, `Authorization: Bearer pl_<32 hex>` (the location's key).
 * Every response carries `serverTime`, from which the agent learns the control plane's clock.
 */
export const agentPaths = {
  claim: '/agent/v1/claim',
  renew: '/agent/v1/renew',
  release: '/agent/v1/release',
  report: '/agent/v1/report',
  errorEvents: '/agent/v1/error-events',
} as const

/** What an agent holds of a job. `fence` is the token of the claim (`Job` in job.ts). */
export const Lease = Type.Object({
  jobId: Type.String({ maxLength: 64 }),
  fence: Type.Integer({ minimum: 1 }),
})
export type Lease = Static<typeof Lease>

const maxLeases = 20_000

/** `waitMs`: how long the request may be held when nothing is waiting (long poll). `max*`: how many jobs it may hand out. */
export const ClaimRequest = Type.Object({
  agentId: AgentId,
  version: Type.String({ maxLength: 64 }),
  platform: Type.String({ maxLength: 64 }),
  checkTypes: Type.Array(Type.Enum([...checkTypes]), { maxItems: 32 }),
  runtimeIds: Type.Array(Type.Enum([...runtimeIds]), { maxItems: 16 }),
  /** Those of them whose Playwright is installed, for types that need it (`needsPlaywright`). Left out: all of them. */
  playwrightRuntimeIds: Type.Optional(Type.Array(Type.Enum([...runtimeIds]), { maxItems: 16 })),
  /** What runs Playwright suites there. Left out by agents that do not say. */
  suiteEngines: Type.Optional(Type.Array(Type.Enum([...suiteEngines]), { maxItems: 16 })),
  maxUptime: Type.Integer({ minimum: 0, maximum: 10_000 }),
  maxMain: Type.Integer({ minimum: 0, maximum: 100 }),
  waitMs: Type.Integer({ minimum: 0, maximum: 60_000 }),
  /** The first claim of a process: jobs that an earlier process under this id still holds are offered again at once. */
  fresh: Type.Optional(Type.Boolean()),
  /** Runs that are over and whose reports are still on their way: they keep no later run of their checks from starting. */
  finished: Type.Optional(Type.Array(Lease, { maxItems: maxLeases })),
  /** X25519 public key of this process, base64url: client certificates are sealed to it (`SealedCertificate` in job.ts). */
  sealTo: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{43}$',
      examples: ['hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo'],
    }),
  ),
  /** Names of the layers that isolate code of users (agent/isolation), once the agent has tried them; later agents may know more. */
  isolation: Type.Optional(
    Type.Array(Type.String({ maxLength: 32, pattern: '^[a-z-]+$' }), { maxItems: 32 }),
  ),
  /** Left out by agents that keep no standing orders. */
  orders: Type.Optional(OrdersHeld),
  /** What it is made to run, and cannot for now: it is told which of these the location needs. */
  lacks: Type.Optional(Type.Array(Type.Enum([...checkTypes]), { maxItems: 32 })),
})
export type ClaimRequest = Static<typeof ClaimRequest>

/**
 * `leaseMs`: how long each job is the agent's, unless its lease is renewed. `location`: the slug of the private location whose
 * key the agent has, or the code of the public one.
 */
export const ClaimResponse = Type.Object({
  serverTime: Instant,
  leaseMs: Type.Integer(),
  jobs: Type.Array(Job),
  location: Type.Optional(Type.String()),
  /** To agents that keep standing orders. */
  orders: Type.Optional(OrdersKnown),
  /** Of the types that the agent lacks, those of checks that run in its location. */
  needed: Type.Optional(Type.Array(Type.Enum([...checkTypes]))),
})
export type ClaimResponse = Static<typeof ClaimResponse>

/** Leases to renew. `finished`: the run is over, and its report is still on its way. */
export const RenewRequest = Type.Object({
  agentId: AgentId,
  leases: Type.Array(Type.Object({ ...Lease.properties, finished: Type.Optional(Type.Boolean()) }), {
    maxItems: maxLeases,
  }),
})
export type RenewRequest = Static<typeof RenewRequest>

/**
 * Leases to hand back. With `kept`, what the agent holds beyond those is handed back too: an answer to a claim that was on its way when the
 * agent began to end has given it jobs that it does not know of.
 */
export const ReleaseRequest = Type.Object({
  agentId: AgentId,
  leases: Type.Array(Lease, { maxItems: maxLeases }),
  kept: Type.Optional(Type.Array(Lease, { maxItems: maxLeases })),
})
export type ReleaseRequest = Static<typeof ReleaseRequest>

/** `lost`: leases that are no longer the agent's (taken over, cancelled, or the check is gone): stop and discard. */
export const RenewResponse = Type.Object({ serverTime: Instant, lost: Type.Array(Type.String()) })
export type RenewResponse = Static<typeof RenewResponse>

/** `released`: how many were still the agent's. */
export const ReleaseResponse = Type.Object({ serverTime: Instant, released: Type.Integer() })
export type ReleaseResponse = Static<typeof ReleaseResponse>

/** Finished attempts, in any order. */
export const ReportRequest = Type.Object({
  agentId: AgentId,
  reports: Type.Array(Report, { minItems: 1, maxItems: 1000 }),
})
export type ReportRequest = Static<typeof ReportRequest>

/** All that a request must be: each report is judged by itself, so that one that is not valid spoils no other. */
export const ReportEnvelope = Type.Object({
  agentId: AgentId,
  reports: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1000 }),
})

/**
 * One outcome per report, in order. `duplicate` and `stale` are final too: the agent forgets the report. `later`: nothing was
 * stored of this one, and the agent keeps it and sends it again.
 */
export const reportOutcomes = ['accepted', 'duplicate', 'stale', 'refused', 'later'] as const
/** `outcomes` in the order of the reports. */
export const ReportResponse = Type.Object({
  serverTime: Instant,
  outcomes: Type.Array(Type.Object({ jobId: Type.String(), outcome: Type.Enum([...reportOutcomes]) })),
})
export type ReportResponse = Static<typeof ReportResponse>

/**
 * The agent's own error-level failures, unless EXTERNAL_OBSERVABILITY is `off`.
 * These fields and no others may be sent: never keys, environment, check configuration, URLs, headers or bodies.
 */
export const ErrorEvent = Type.Object(
  {
    message: Type.String({ maxLength: 2048 }),
    stack: Type.String({ maxLength: 16_384 }),
    agentVersion: Type.String({ maxLength: 64 }),
    platform: Type.String({ maxLength: 64 }),
    runtime: Type.String({ maxLength: 64 }),
    at: Instant,
  },
  { additionalProperties: false },
)
export type ErrorEvent = Static<typeof ErrorEvent>

/** Events in the order in which they happened. */
export const ErrorEventsRequest = Type.Object(
  { agentId: AgentId, events: Type.Array(ErrorEvent, { minItems: 1, maxItems: 100 }) },
  { additionalProperties: false },
)
export type ErrorEventsRequest = Static<typeof ErrorEventsRequest>

/** `stored`: how many were kept. */
export const ErrorEventsResponse = Type.Object({ serverTime: Instant, stored: Type.Integer() })
export type ErrorEventsResponse = Static<typeof ErrorEventsResponse>
