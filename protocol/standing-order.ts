import { type Static, Type } from 'typebox'
import { checkTypes } from './check-type.ts'
import { Instant } from './clock.ts'
import { Job } from './job.ts'
import { Report } from './result.ts'
import { runtimeIds } from './runtime.ts'

/** What an agent calls itself, kept beside its spool. */
export const AgentId = Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9._-]+$' })

/**
 * Standing orders: what an agent runs by itself while it cannot reach its control plane. With them every due time of an outage
 * still ends as one result or one stated miss, in its own slot. An agent acts on them only once it has had no answer for longer than
 * runs are handed out ahead of their time.
 */
export const orderPaths = { orders: '/agent/v1/orders', lateReport: '/agent/v1/late-report' } as const

/**
 * Which due times of a check are an agent's location's. Slots are every t with (t − phaseMs) mod periodMs = 0, after `from`. Of
 * `locations` that take turns the one at position (turn + (t − turnAt) / periodMs) mod `locations` has the slot t, `turnAt` being a slot;
 * `parallel`: all have it. `pauses`: maintenance in which slots are no due times, ends excluded.
 */
export const SlotRule = Type.Object({
  periodMs: Type.Integer({ minimum: 1 }),
  phaseMs: Type.Integer({ minimum: 0 }),
  from: Instant,
  parallel: Type.Boolean(),
  locations: Type.Integer({ minimum: 1 }),
  position: Type.Integer({ minimum: 0 }),
  turnAt: Instant,
  turn: Type.Integer({ minimum: 0 }),
  pauses: Type.Array(Type.Object({ from: Instant, to: Instant })),
})
export type SlotRule = Static<typeof SlotRule>

/** How often a failed attempt is repeated (retry.ts); null: never. */
const RetryRule = Type.Union([
  Type.Null(),
  Type.Object({
    type: Type.Optional(Type.String()),
    baseBackoffSeconds: Type.Optional(Type.Number()),
    maxRetries: Type.Optional(Type.Number()),
    maxDurationSeconds: Type.Optional(Type.Number()),
    sameRegion: Type.Optional(Type.Boolean()),
    onlyOn: Type.Optional(Type.Array(Type.String())),
  }),
])

/** Thresholds in milliseconds, null for none: how observations of the check are judged (evaluate.ts). */
const JudgedBy = Type.Object({
  degradedResponseTime: Type.Union([Type.Number(), Type.Null()]),
  maxResponseTime: Type.Union([Type.Number(), Type.Null()]),
})

const jobTemplate = Type.Omit(Job, ['id', 'fence', 'checkRunId', 'sequenceId', 'attempt', 'dueAt', 'runAt'])

/**
 * One check of the agent's location. `version`: of the check, with which results say by what they were made. `job`: as it would be claimed,
 * without what differs from run to run; a certificate is sealed with the check's id as additional data. `muted`: nobody is told of it.
 */
export const StandingOrder = Type.Object({
  checkId: Type.String({ maxLength: 64 }),
  version: Type.Integer({ minimum: 0 }),
  slots: SlotRule,
  retries: RetryRule,
  judgedBy: JudgedBy,
  muted: Type.Boolean(),
  job: jobTemplate,
})
export type StandingOrder = Static<typeof StandingOrder>

/**
 * What an agent says with each claim, if it keeps orders: `revision` of those it has, null for none. `late`: reports of runs that it made
 * by itself and that have not been taken yet, with the first and the last of their due times; left out when there are none.
 */
export const OrdersHeld = Type.Object({
  revision: Type.Union([Type.String({ maxLength: 128 }), Type.Null()]),
  late: Type.Optional(
    Type.Object({
      reports: Type.Integer({ minimum: 0 }),
      firstDueAt: Instant,
      lastDueAt: Instant,
    }),
  ),
})
export type OrdersHeld = Static<typeof OrdersHeld>

/**
 * What the answer to a claim says of orders: `revision`, another than the agent's: there are changes to fetch; null: there are none for it
 * (STANDING_ORDERS_HOURS is 0), and what it has ends. `agents`: who of the location was alive, by id in order. `holdMs`: orders end so long after the last answer.
 * `secondOwnerAfterMs`: so long after a due time its second owner runs it as well; null: nobody does.
 */
export const OrdersKnown = Type.Object({
  revision: Type.Union([Type.String({ maxLength: 128 }), Type.Null()]),
  agents: Type.Array(AgentId),
  holdMs: Type.Integer({ minimum: 0 }),
  secondOwnerAfterMs: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
})
export type OrdersKnown = Static<typeof OrdersKnown>

/** `after`: the revision of what the agent has, or the cursor of the page before; null: it has nothing. */
export const OrdersRequest = Type.Object({
  agentId: AgentId,
  checkTypes: Type.Array(Type.Enum([...checkTypes]), { maxItems: 32 }),
  runtimeIds: Type.Array(Type.Enum([...runtimeIds]), { maxItems: 16 }),
  playwrightRuntimeIds: Type.Optional(Type.Array(Type.Enum([...runtimeIds]), { maxItems: 16 })),
  sealTo: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' })),
  after: Type.Union([Type.String({ maxLength: 256 }), Type.Null()]),
})
export type OrdersRequest = Static<typeof OrdersRequest>

/**
 * A page of differences, in bounded size. `whole`: the first page of all there are, because what the agent has is not known any more: it forgets what no page of these
 * brings. `removed`: checks that it runs no longer. `next`: what to ask with `after` for the next page, null at the end; only then is `revision` what the agent has.
 * `location`: where the agent is, as ids of slots say it (slot-id.ts).
 */
export const OrdersResponse = Type.Object({
  serverTime: Instant,
  location: Type.String({ minLength: 1, maxLength: 64 }),
  whole: Type.Boolean(),
  orders: Type.Array(StandingOrder),
  removed: Type.Array(Type.String({ maxLength: 64 })),
  next: Type.Union([Type.String({ maxLength: 256 }), Type.Null()]),
  revision: Type.String({ maxLength: 128 }),
})
export type OrdersResponse = Static<typeof OrdersResponse>

/**
 * An attempt that an agent made by itself. `jobId` is that of its slot (slot-id.ts), `firstJobId` that of the run's first attempt, `fence` always 1.
 * `retried`: another attempt followed; otherwise it is final. `version` and `judgedBy`: of the order that it was made by.
 */
export const LateReport = Type.Object({
  ...Report.properties,
  checkId: Type.String({ minLength: 1, maxLength: 64 }),
  version: Type.Integer({ minimum: 0 }),
  dueAt: Instant,
  attempt: Type.Integer({ minimum: 1, maximum: 100 }),
  firstStartedAt: Instant,
  retried: Type.Boolean(),
  judgedBy: JudgedBy,
})
export type LateReport = Static<typeof LateReport>

/** What an agent has told FALLBACK_WEBHOOK_URL of a check, last. */
export const ToldMeanwhile = Type.Object({
  checkId: Type.String({ maxLength: 64 }),
  state: Type.Enum(['failing', 'degraded', 'passing']),
  at: Instant,
})
export type ToldMeanwhile = Static<typeof ToldMeanwhile>

/**
 * Newest due times first. `told`: each with the first request after it was told that is answered. `remaining`: how many reports of such runs
 * the agent has beside these.
 */
export const LateReportRequest = Type.Object({
  agentId: AgentId,
  reports: Type.Array(LateReport, { maxItems: 500 }),
  remaining: Type.Optional(Type.Integer({ minimum: 0 })),
  told: Type.Optional(Type.Array(ToldMeanwhile, { maxItems: 1000 })),
})
export type LateReportRequest = Static<typeof LateReportRequest>

/** As `ReportEnvelope`. */
export const LateReportEnvelope = Type.Object({
  agentId: AgentId,
  reports: Type.Array(Type.Unknown(), { maxItems: 500 }),
  remaining: Type.Optional(Type.Integer({ minimum: 0 })),
  told: Type.Optional(Type.Array(ToldMeanwhile, { maxItems: 1000 })),
})
