import type { Observation } from '../protocol/result.ts'
import { createScrubber } from './scrub.ts'

/** What a run leaves to be read by people: its observation, and every other text (log lines, names, messages). */
export type ReportTexts = { observation: Observation | null; texts: readonly string[] }

/** The same without the secrets. Pure. */
export const scrubReport = (secrets: readonly string[], report: ReportTexts): ReportTexts => {
  const scrubber = createScrubber(secrets)
  return {
    observation: report.observation === null ? null : scrubber.observation(report.observation),
    texts: report.texts.map(scrubber.text),
  }
}
