/** What a run of a check's type leaves behind: advice names no file that there cannot be. Pure. */

import { type CheckType, protocolOf } from '../../../../protocol/check-type.ts'
import { kindOf } from '../../../monitoring/definitions/checks/types/index.ts'
import { type Told, tell } from '../../../platform/words/told.ts'
import type { Facts } from '../facts.ts'

const leaves = ({ check }: Facts, type: string): boolean =>
  protocolOf(check.type as CheckType).artifacts?.some((kind) => kind.type === type) ?? false

export const leavesFiles = ({ check }: Facts): boolean =>
  (protocolOf(check.type as CheckType).artifacts?.length ?? 0) > 0

export const leavesTrace = (facts: Facts): boolean => leaves(facts, 'trace')

/** `the screenshot or trace` of a run whose scripts open pages, `the trace` of one that sends requests; otherwise its log. */
export const whereToLook = (facts: Facts): Told => {
  const hasPictures = kindOf(facts.check.type).opensPages === true && leaves(facts, 'screenshot')
  if (hasPictures) return leavesTrace(facts) ? tell`the screenshot or trace` : tell`the screenshot`
  return leavesTrace(facts) ? tell`the trace` : tell`the log`
}
