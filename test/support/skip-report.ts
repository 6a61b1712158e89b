/** What a run says of the tests that it skipped. Pure. */
import type { FileResult } from './run-test-file.ts'

/** test/allowed-skips.json: reasons, each with what it takes to run the tests. CI has what it takes for the second kind. */
export type AllowedSkips = { anywhere: Record<string, string>; outsideOfCi: Record<string, string> }

export type SkipReport = {
  lines: string[]
  /** How many count as failures. */
  refused: number
}

/** A line for each reason; where it is not in the list, with the names of the tests. */
export function reportSkips(
  results: readonly Pick<FileResult, 'file' | 'skips'>[],
  { allowed, isCi }: { allowed: AllowedSkips; isCi: boolean },
): SkipReport {
  const skips = results.flatMap(({ file, skips }) => skips.map((skip) => ({ file, ...skip })))
  const byReason = Map.groupBy(skips, ({ reason }) => reason)
  const explained = new Map(Object.entries({ ...allowed.outsideOfCi, ...allowed.anywhere }))
  const lines: string[] = []
  let refused = 0
  for (const [reason, those] of [...byReason].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const isRefused = isCi && !Object.hasOwn(allowed.anywhere, reason)
    if (isRefused) refused += those.length
    const files = new Set(those.map(({ file }) => file)).size
    const why = explained.get(reason)
    const names = those.map(({ file, name }) => `${file}: ${name}`).join('; ')
    const count = `${isRefused ? 'FAIL ' : ''}skipped ${those.length} (files: ${files})`
    lines.push(
      why === undefined ? `${count}, not in the list: ${reason}: ${names}` : `${count}: ${reason}. ${why}`,
    )
  }
  return { lines, refused }
}
