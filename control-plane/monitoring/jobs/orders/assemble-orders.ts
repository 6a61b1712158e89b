/**
 * From schedules to standing orders: what a claim of each check would bring, read and put together as it is there, and by what
 * an agent judges and repeats its runs while it is alone.
 */
import { type CheckType, queueOf, runLimitMs } from '../../../../protocol/check-type.ts'
import type { Judgement } from '../../../../protocol/evaluate.ts'
import type { Job } from '../../../../protocol/job.ts'
import { retryStrategyOf } from '../../../../protocol/retry.ts'
import type { OrdersRequest, SlotRule, StandingOrder } from '../../../../protocol/standing-order.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { JobsTable, SchedulesTable } from '../../../platform/store/database/tables/runs.ts'
import { groupsById } from '../../definitions/check-groups/queries.ts'
import { type GroupDoc, groupDoc } from '../../definitions/check-groups/schema.ts'
import { kindOf } from '../../definitions/checks/types/index.ts'
import { maxWaitMs } from '../../schedule/plan-slots.ts'
import { runLocations } from '../../schedule/schedule-queries.ts'
import { assembleJobs } from '../assemble-jobs.ts'
import { type CheckOfJob, type JobSources, readJobSources } from '../job-sources.ts'

type Recipient = { location: string; sealTo: OrdersRequest['sealTo'] }

/** A schedule, and when it is due in the recipient's location. */
type Due = { schedule: SchedulesTable; slots: SlotRule }

/** In the order of `due`. Checks that are gone, or whose owners want no standing orders for them, are left out. */
export const assembleOrders = async (
  app: App & HasCipher,
  due: readonly Due[],
  { location, sealTo }: Recipient,
): Promise<StandingOrder[]> => {
  if (due.length === 0) return []
  const claimed = due.map(({ schedule }) => ({
    row: rowOf(schedule, location),
    kind: kindOf(schedule.check_type),
  }))
  const sources = await readJobSources(app, claimed, { location, sealTo })
  const groups = await groupsOf(app, sources)
  const jobs = assembleJobs(claimed, sources, { cipher: app.cipher, sealTo })
  const templates = new Map(jobs.map((job) => [job.checkId, templateOf(job)]))
  return due.flatMap(({ schedule, slots }) => {
    const check = sources.checks.get(schedule.check_id)
    const job = templates.get(schedule.check_id)
    if (check === undefined || job === undefined || check.doc.standingOrders === false) return []
    const group = check.groupId === null ? null : (groups.get(check.groupId) ?? null)
    return [{ checkId: check.id, version: check.version, slots, ...rulesOf(check, group, schedule), job }]
  })
}

const noLimits: Judgement = { degradedResponseTime: null, maxResponseTime: null }

const rulesOf = (
  { doc }: CheckOfJob,
  group: GroupDoc | null,
  { check_type }: SchedulesTable,
): Pick<StandingOrder, 'retries' | 'judgedBy' | 'muted'> => {
  const { degradedResponseTime = null, maxResponseTime = null } = doc as Partial<Judgement>
  return {
    retries: retryStrategyOf(doc, group) as StandingOrder['retries'],
    judgedBy: kindOf(check_type).keepsResponseTimes ? noLimits : { degradedResponseTime, maxResponseTime },
    muted: doc.muted || (group?.muted ?? false),
  }
}

/** Also of types whose jobs no group has a say in: it says how often they are repeated, and whether anybody is told. */
const groupsOf = async ({ db }: App, { checks }: JobSources): Promise<Map<number, GroupDoc>> => {
  const ids = new Set<number>()
  const accountIds = new Set<string>()
  for (const { groupId, accountId } of checks.values())
    if (groupId !== null) {
      ids.add(groupId)
      accountIds.add(accountId)
    }
  const rows = await groupsById(db, [...accountIds], [...ids])
  return new Map(rows.map(({ id, doc }) => [id, groupDoc.read(doc)]))
}

/** What a job of the check would be like. A client certificate is sealed with the check's id in the place of the job's. */
const rowOf = (schedule: SchedulesTable, location: string): JobsTable => {
  const type = schedule.check_type as CheckType
  const name = runLocations.read(schedule.locations).find(({ id }) => id === location)?.name ?? location
  return {
    id: schedule.check_id,
    account_id: schedule.account_id,
    check_id: schedule.check_id,
    check_type: type,
    queue: queueOf(type),
    runtime_id: schedule.runtime_id,
    location,
    run_location: name,
    home: location,
    run_source: 'SCHEDULER',
    session_id: '',
    check_run_id: 0,
    sequence_id: schedule.check_id,
    attempt: 1,
    due_at: 0,
    run_at: 0,
    expires_at: maxWaitMs,
    period_ms: schedule.period_ms,
    deadline_ms: runLimitMs(type),
    fence: 1,
    agent_id: null,
    claimed_at: null,
    lease_expires_at: null,
    run_state: null,
    first_started_at: null,
    created_at: 0,
  }
}

/** Without what is of one run only. Nobody is there to give out a bundle: an agent runs those that it has. */
const templateOf = (job: Job): StandingOrder['job'] => {
  const { id, fence, checkRunId, sequenceId, attempt, dueAt, runAt, bundleTicket, ...template } = job
  return template
}
