import type { RunContext } from '../../agent/checks/runner.ts'
import type { Io } from '../../agent/io.ts'
import { createJudge } from '../../agent/judging/judge.ts'
import { createRunLog, type ReadableRunLog } from '../../agent/run-log.ts'

/** What a runner is given for one run that is not part of a job. */
export const runContext = (io: Io, signal: AbortSignal): RunContext & { runLog: ReadableRunLog } => ({
  signal,
  runLog: createRunLog(io.clock),
  judge: createJudge({ pool: io.judging, checkId: 'a check', signal }),
})
