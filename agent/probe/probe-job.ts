import type { Job } from '../../protocol/job.ts'
import type { Io } from '../net/io.ts'
import type { Probe } from './probe-request.ts'

/** A probe as a job that no control plane knows: without account, variables, certificate and the location's proxy. */
export const probeJob = (
  { checkType, spec }: Probe,
  { newId, clock }: Pick<Io, 'newId' | 'clock'>,
  deadlineMs: number,
): Job => {
  const id = newId()
  const now = clock.now()
  return {
    id,
    fence: 1,
    accountId: '',
    checkId: `probe-${id}`,
    checkName: 'probe',
    checkType,
    runtimeId: null,
    runLocation: '',
    runSource: 'TRIGGER_API',
    checkRunId: now,
    sequenceId: id,
    attempt: 1,
    dueAt: now,
    runAt: now,
    deadlineMs,
    variables: [],
    spec,
  }
}
