import type { LogLine, Report } from '../../protocol/result.ts'
import type { ArtifactSummary } from '../artifacts/artifact-outbox.ts'
import { maxLines } from '../base/run-log.ts'
import type { OutboxItem } from '../reporting/outbox.ts'
import type { AgentState } from './agent-state.ts'
import type { HeldJob } from './held-job.ts'
import { outcomeName, runJob } from './run-job.ts'

/** Runs a held job that has its slot, reports what came of it if the lease is still ours, and leaves the slot. */
export const runHeldJob = async (state: AgentState, one: HeldJob): Promise<void> => {
  const { io, controlPlane, metrics, artifacts, reportError, ownNetwork } = state.options
  const startedAt = controlPlane.serverNow()
  const began = io.clock.monotonic()
  one.state = 'running'
  state.notStarted[one.queue] -= 1
  metrics.lateness.observe(Math.max(0, startedAt - one.job.runAt) / 1000)
  const settleResult = ownNetwork.begin(one.job)
  const ran = await runJob(one.job, io, one.controller)
  // Not by the control plane's clock, which may be set in between.
  const stoppedAt = startedAt + io.clock.monotonic() - began
  const result = await settleResult(ran)
  if (result.error !== null) reportError(result.error)
  metrics.results.inc({ outcome: outcomeName(result) })
  const { id } = one.job
  const files = result.artifacts.length > 0 ? await artifacts.take(id, result.artifacts) : null
  const report: Report = {
    jobId: id,
    // Perhaps a newer one than it was begun with.
    fence: one.job.fence,
    startedAt: Math.floor(startedAt),
    stoppedAt: Math.floor(stoppedAt),
    outcome: result.outcome,
    ...(files === null ? { log: result.log } : withFiles(result.log, files)),
  }
  // A lost lease has taken the job out already, and perhaps it is held again under a new one.
  if (one.onReport !== null) one.onReport(report)
  else if (state.held.get(id) === one) {
    one.state = 'reporting'
    deliver(state, report)
    state.alone.noteResult(one.job, report)
  } else {
    state.stopping.delete(id)
    if (files !== null) artifacts.settled(id, 'lost')
  }
  state.slots.leave(one)
  state.slots.fill()
}

/** The control plane has spoken about a report, which `line` is. */
export const settleReport = (state: AgentState, { jobId, line }: OutboxItem, outcome: string): void => {
  const { metrics, artifacts } = state.options
  const one = state.held.get(jobId)
  metrics.uploads.inc({ outcome })
  if (outcome === 'stale') {
    const report = JSON.parse(line) as Report
    // Meanwhile the job has come back to us: so does its report.
    if (one?.state === 'reporting' && one.job.fence > report.fence) {
      deliver(state, { ...report, fence: one.job.fence })
      return
    }
    state.staleReports.keep(report, line.length)
  }
  artifacts.settled(jobId, outcome)
  if (one?.state === 'reporting') state.held.delete(jobId)
}

/** Puts a report into the outbox, written once as JSON for the spool and the wire. */
export const deliver = ({ outbox }: AgentState, report: Report): void =>
  outbox.add(report.jobId, JSON.stringify(report))

/** A log has a limit, and what is said of the files always finds room in it. */
const withFiles = (
  log: readonly LogLine[],
  { notes, lines }: ArtifactSummary,
): Pick<Report, 'log' | 'artifacts'> => ({
  log: [...log.slice(0, maxLines - lines.length), ...lines],
  artifacts: notes,
})
