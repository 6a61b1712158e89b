/** What a run says of the tests that it skipped. Pure. */
import type { FileResult } from './run-test-file.ts'

/** Reasons that may be, each with what it takes to run the tests: test/allowed-skips.json. */
export type AllowedSkips = Record<string, string>

export type SkipReport = {
  lines: string[]
  /** How many were skipped for a reason that is not in the list. */
  unlisted: number
}

/** A line for each reason in the list, and one for each skip whose reason is not there. */
export function reportSkips(
  results: readonly Pick<FileResult, 'file' | 'skips'>[],
  allowed: AllowedSkips,
): SkipReport {
  const skips = results.flatMap(({ file, skips }) => skips.map((skip) => ({ file, ...skip })))
  const byReason = Map.groupBy(skips, ({ reason }) => reason)
  const lines: string[] = []
  let unlisted = 0
  for (const [reason, those] of [...byReason].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    if (Object.hasOwn(allowed, reason)) {
      const files = new Set(those.map(({ file }) => file)).size
      lines.push(`skipped ${those.length} (files: ${files}): ${reason}. ${allowed[reason]}`)
    } else {
      unlisted += those.length
      for (const { file, name } of those)
        lines.push(`skipped, and not in the list: ${file}: ${name}: ${reason}`)
    }
  return { lines, unlisted }
}
