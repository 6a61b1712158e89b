/**
 * The verdict on a parallel run: all locations of one due time count once (product decisions, "Round robin / parallel").
 * Pure.
 */
import type { Level } from './advance.ts'

/** `none`: the location has no verdict to give (missed, cancelled, could not run). */
export type RoundReport = Level | 'none'

/** What part of the locations must fail, in percent; null: one is enough. */
export type FailureShare = number | null

/**
 * Failing as soon as enough locations fail, otherwise when all have reported; null until then, and when none of them has
 * a verdict. Locations without one do not count when all have reported; where a share of them decides and most have none,
 * the few that are left decide nothing either.
 */
export const roundVerdict = (
  reports: readonly RoundReport[],
  expected: number,
  share: FailureShare,
): Level | null => {
  const count = (level: RoundReport): number => reports.filter((report) => report === level).length
  const failing = count('failing')
  if (isFailing(failing, expected, share)) return 'failing'
  if (reports.length < expected) return null
  const verdicts = reports.length - count('none')
  if (verdicts === 0 || (share !== null && verdicts * 2 < reports.length)) return null
  if (isFailing(failing, verdicts, share)) return 'failing'
  return count('degraded') > 0 ? 'degraded' : 'passing'
}

const isFailing = (failing: number, of: number, share: FailureShare): boolean =>
  failing > 0 && (share === null || failing * 100 >= share * of)
