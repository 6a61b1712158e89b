/** Jobs that are due and wait are walked over in slices, however many they are: ties are in the order of their ids. */
import { index } from '../ddl.ts'

export const waitingJobs: string[] = [
  'drop index jobs_unclaimed_due',
  index('jobs_unclaimed_due', 'jobs (due_at, id)', { where: 'agent_id is null' }),
]
