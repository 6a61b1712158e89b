import type { LateReport } from '../../protocol/standing-order.ts'

const dropped = 'the spool of the agent was full before the control plane was back (SPOOL_MAX_MB)'

/** The report of a run, some of whose files had to go while it waited: it says so of each that `has` does not know. Pure. */
export const withDroppedArtifacts = (line: string, has: (jobId: string, name: string) => boolean): string => {
  // Most have none, and are not read for it.
  if (!line.includes('"artifacts":')) return line
  const report = JSON.parse(line) as LateReport
  const { jobId, artifacts = [] } = report
  const notes = artifacts.map((note) =>
    note.refused === undefined && !has(jobId, note.name) ? { ...note, sha256: null, refused: dropped } : note,
  )
  return JSON.stringify({ ...report, artifacts: notes })
}
