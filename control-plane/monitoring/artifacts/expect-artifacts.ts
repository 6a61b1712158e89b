import type { ArtifactNote } from '../../../protocol/artifact.ts'
import { type CheckType, protocolOf } from '../../../protocol/check-type.ts'
import type { Retention } from '../../platform/retention/settings.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { JobsTable } from '../../platform/store/database/tables/runs.ts'
import { admitArtifacts } from './admit-artifacts.ts'
import type { ArtifactAllowances } from './allowances.ts'
import { insertArtifact } from './queries.ts'
import { addUsage, usageOf } from './usage.ts'

type Announcement = {
  notes: readonly ArtifactNote[]
  isFailure: boolean
  allowances: ArtifactAllowances
  retention: Retention<'results' | 'details'>
  now: number
}

/**
 * The files that a report announces are waited for, from the agents of the location that ran the job. What they take is theirs
 * from now on (usage.ts).
 */
export const expectArtifacts = async (
  trx: Db,
  job: Pick<JobsTable, 'id' | 'account_id' | 'check_id' | 'check_type' | 'location'>,
  { notes, isFailure, allowances, retention, now }: Announcement,
): Promise<void> => {
  if (notes.length === 0) return
  const kinds = protocolOf(job.check_type as CheckType).artifacts ?? []
  const admitted = admitArtifacts(notes, { kinds, usage: await usageOf(trx, job), allowances })
  for (const [position, { note, refused }] of admitted.entries())
    await trx.run(insertArtifact, {
      result_id: job.id,
      name: note.name,
      position,
      account_id: job.account_id,
      check_id: job.check_id,
      location: job.location,
      type: note.type,
      content_type: note.contentType,
      size: note.size,
      sha256: note.sha256,
      refused,
      created_at: now,
      // For less long where nothing went wrong in the end.
      expires_at: now + (isFailure ? retention.results : Math.min(retention.details, retention.results)),
    })
  const expected = admitted.filter(({ refused }) => refused === null)
  await addUsage(
    trx,
    job,
    expected.reduce((sum, { note }) => sum + note.size, 0),
  )
}
