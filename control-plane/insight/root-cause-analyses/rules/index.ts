/** All rules, most telling first: the first that applies gives the answer. */
import { answerRules } from './answers.ts'
import { certificateRules } from './certificates.ts'
import { connectionRules } from './connections.ts'
import { judgementRules } from './judgements.ts'
import { nameRules } from './names.ts'
import { protocolRules } from './protocols.ts'
import type { Rule } from './rule.ts'
import { couldNotRunRules, scriptRules } from './scripts.ts'
import { statusRules } from './statuses.ts'
import { surroundingRules } from './surroundings.ts'

export const rules: readonly Rule[] = [
  ...couldNotRunRules,
  ...surroundingRules,
  ...nameRules,
  ...certificateRules,
  ...connectionRules,
  ...answerRules,
  ...statusRules,
  ...protocolRules,
  ...judgementRules,
  ...scriptRules,
]
