import { type ArtifactNote, maxArtifactBytes } from '../../../protocol/artifact.ts'
import type { Db } from '../../platform/database/db.ts'
import type { JobsTable } from '../../platform/database/tables/runs.ts'
import { insertArtifact } from './queries.ts'

const dayMs = 86_400_000
/** As long as results are kept, and for less long where nothing went wrong in the end. */
export const keptMs = { failure: 30 * dayMs, other: 7 * dayMs }

type Announcement = { notes: readonly ArtifactNote[]; isFailure: boolean; now: number }

/** The files that a report announces are waited for, from the agents of the location that ran the job. */
export const expectArtifacts = async (
  trx: Db,
  job: Pick<JobsTable, 'id' | 'account_id' | 'check_id' | 'location'>,
  { notes, isFailure, now }: Announcement,
): Promise<void> => {
  for (const [position, note] of notes.entries())
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
      refused: whyRefused(note),
      created_at: now,
      expires_at: now + (isFailure ? keptMs.failure : keptMs.other),
    })
}

const whyRefused = ({ refused, size, sha256 }: ArtifactNote): string | null => {
  if (refused !== undefined) return refused
  if (size > maxArtifactBytes) return `larger than ${maxArtifactBytes / 1024 / 1024} MB`
  return sha256 === null ? 'announced without its hash' : null
}
