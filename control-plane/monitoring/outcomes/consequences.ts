/**
 * What happens in one slice and concerns others: the events, as plain data, and one function for each. Whoever causes an
 * event calls `app.consequences` inside its transaction; `control-plane/consequences.ts` is the list of what follows.
 * Every function returns the names to wake (`app.wakeups`) after the commit.
 */
import type { TraceIds } from '../../../protocol/result.ts'
import type { Verdict } from '../../../protocol/verdict.ts'
import type { TriggerIncident } from '../../communication/incidents/open-or-resolve.ts'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'

/** A run of a check in one location; `sessionId` is empty for runs that the schedule asked for. */
type Run = {
  accountId: string
  checkId: string
  checkType: string
  /** The due time, the same in all locations. */
  checkRunId: number
  sequenceId: string
  sessionId: string
  /** Only those look at it who asked for it: it is of a copy of a check. */
  isTest: boolean
  /** The location's name. */
  location: string
}

/** The last attempt of a run, stored as its result. Instants in epoch milliseconds. */
export type FinalResult = Run & {
  resultId: string
  /** Of a test: the check that was copied; else the check itself. */
  originId: string
  /** The check's name at that time. */
  checkName: string
  verdict: Verdict
  startedAt: number
  stoppedAt: number
  /** Why it failed, in one sentence. */
  error: string | null
  /** The type's own part of the result; null where there was no observation. */
  detail: unknown
  /** Which its requests said they belong to; null: they said nothing. */
  trace: TraceIds | null
  /** Known to have no alert state: a verdict that is not bad changes nothing there. */
  isWell: boolean
  /** Its due time was recorded as missed, and what follows from that has followed. */
  replacesMissed: boolean
  /** An agent made it by itself while it could not reach us: it may be of hours ago. */
  arrivedLate: boolean
}

/** A due time that nobody ran, recorded with its reason (monitoring/schedule/missed-runs.ts). */
export type MissedDueTime = Run & { missedRunId: string; dueAt: number; reason: string }

/** `sslCheckDomain`: undefined where the check's type has none. */
export type WrittenCheck = {
  accountId: string
  checkId: string
  activated: boolean
  sslCheckDomain: string | null | undefined
  triggerIncident: TriggerIncident | null
}

type RemovedCheck = { accountId: string; checkId: string }

export type Consequences = {
  /** Stored in this transaction; what follows from one knows nothing of those behind it. */
  onFinalResults(trx: Db, results: readonly FinalResult[], stamp: Stamp): Promise<string[]>
  /** Recorded in this transaction, as results are. */
  onMissedRuns(trx: Db, missed: readonly MissedDueTime[], stamp: Stamp): Promise<string[]>
  onCheckWritten(trx: Db, check: WrittenCheck, stamp: Stamp): Promise<string[]>
  onCheckRemoved(trx: Db, check: RemovedCheck, stamp: Stamp): Promise<string[]>
}

/** What follows from an event of one slice in others. */
export type HasConsequences = { consequences: Consequences }
