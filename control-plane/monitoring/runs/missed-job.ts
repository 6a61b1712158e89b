/**
 * The job of a run that was recorded as missed and that an agent had: cut off from us, it may have measured all the same.
 * A report of it takes the record's place, once: the record goes in the transaction that stores the result, and whoever
 * comes second finds the result. Of several agents that had the job one after the other, the first one to report counts.
 */
import { Type } from 'typebox'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import type { JobsTable } from '../../platform/store/database/tables/runs.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'

const text = Type.String()
const integer = Type.Integer()

const JobRow = Type.Object({
  id: text,
  account_id: text,
  check_id: text,
  check_type: text,
  queue: text,
  runtime_id: nullable(text),
  location: text,
  run_location: text,
  home: text,
  run_source: text,
  session_id: text,
  check_run_id: integer,
  sequence_id: text,
  attempt: integer,
  due_at: integer,
  run_at: integer,
  expires_at: integer,
  period_ms: integer,
  deadline_ms: integer,
  fence: integer,
  agent_id: nullable(text),
  claimed_at: nullable(integer),
  lease_expires_at: nullable(integer),
  run_state: nullable(text, { default: null }),
  first_started_at: nullable(integer),
  created_at: integer,
})

/** Its row as it was. */
export const missedJob = storedDoc<typeof JobRow, JobsTable>({ name: 'missed job', schema: JobRow })

type OfJobs = { ids: readonly string[] }

/** Locked in the order of their ids, as jobs are. */
const lockMissedJobs = query('lock-missed-jobs', (k, p: OfJobs & { since: number }, engine) => {
  const rows = k
    .selectFrom('missed_runs')
    .select('job')
    .where('id', 'in', engine.textList(p.ids))
    .where('last_due_at', '>=', p.since)
    .where('job', 'is not', null)
  return engine.rowLocks ? rows.orderBy('id').forUpdate() : rows
})

export const deleteMissedJobs = query('delete-missed-jobs', (k, p: OfJobs, engine) =>
  k.deleteFrom('missed_runs').where('id', 'in', engine.textList(p.ids)),
)

/** `since`: what was due before is kept no longer, as a result either. */
export const missedJobs = async (
  trx: Db,
  { ids, since }: OfJobs & { since: number },
): Promise<JobsTable[]> => {
  if (ids.length === 0) return []
  const rows = await trx.all(lockMissedJobs, { ids, since })
  return rows.flatMap(({ job }) => (job === null ? [] : missedJob.read(job)))
}
