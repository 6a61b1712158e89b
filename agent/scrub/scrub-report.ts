import type { LogLine, Observation } from '../../protocol/result.ts'
import { createScrubber } from './scrub.ts'

/** What a run leaves to be read by people: its observation, its log, and every other text (names, messages). */
export type ReportTexts = {
  observation: Observation | null
  lines: readonly LogLine[]
  texts: readonly string[]
}

/** The same without the secrets. Pure. */
export const scrubReport = (secrets: readonly string[], report: ReportTexts): ReportTexts => {
  const scrubber = createScrubber(secrets)
  return {
    observation: report.observation === null ? null : scrubber.observation(report.observation),
    lines: scrubber.lines(report.lines),
    texts: report.texts.map(scrubber.text),
  }
}
