import { createRunLog, type ReadableRunLog } from '../../agent/base/run-log.ts'
import type { RunContext } from '../../agent/checks/runner.ts'
import { createJudge } from '../../agent/judging/judge.ts'
import type { RealIo } from '../../agent/program/real-io.ts'

/** What a runner is given for one run that is not part of a job. */
export const runContext = (io: RealIo, signal: AbortSignal): RunContext & { runLog: ReadableRunLog } => ({
  signal,
  runLog: createRunLog(io.clock),
  judge: createJudge({ pool: io.judging, checkId: 'a check', signal }),
})
