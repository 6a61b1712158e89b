import type { Job } from '../../../protocol/job.ts'
import { textLength } from '../../../protocol/text-length.ts'

/** Characters of the jobs of one answer: agents read none that is larger than 64 MB. */
export const maxAnswerLength = 16 * 1024 * 1024

/** The first jobs that fit into an answer, at least one; the others come with the next. Pure. */
export const withinAnswer = (jobs: readonly Job[]): { taken: Job[]; left: Job[] } => {
  let room = maxAnswerLength
  let count = 0
  for (const job of jobs) {
    room -= textLength(job)
    if (room < 0 && count > 0) break
    count += 1
  }
  return { taken: jobs.slice(0, count), left: jobs.slice(count) }
}
