import { type Static, Type } from 'typebox'
import { checkTypes } from './check-type.ts'
import { runtimeIds } from './runtime.ts'

/** Epoch milliseconds on the control plane's clock. */
export const Instant = Type.Integer({ minimum: 0 })

export const Variable = Type.Object({ key: Type.String(), value: Type.String(), secret: Type.Boolean() })

/** Why a run exists (`runSource` of check sessions). */
export const runSources = ['SCHEDULER', 'SCHEDULE_NOW', 'TRIGGER_API', 'GROUP_RUN_ALL'] as const

/**
 * What an agent claims: one attempt of one run in one location. `fence` is the lease's fencing token: it grows with
 * every claim of the job, and a report that carries an older one is refused. `dueAt` is the slot, `runAt` when to start
 * (never earlier); an agent may hold a job before it is due. `deadlineMs` bounds the whole attempt.
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
  spec: Type.Unknown(),
})
export type Job = Static<typeof Job>
