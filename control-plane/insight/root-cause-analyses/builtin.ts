/**
 * The analyst that always works: rules over the facts, no network, no guesses. Pure.
 *
 * The first rule that applies names what broke; history and neighbours add since when, where and who else; where no rule
 * applies it says that it does not know and shows what there is.
 */
import { circumstancesOf, commonEvidence, contextOf } from './context.ts'
import { type Facts, messageOf } from './facts.ts'
import { leavesFiles } from './rules/files.ts'
import { rules } from './rules/index.ts'
import type { Rule } from './rules/rule.ts'
import type { Analysis } from './schema.ts'

export const builtinProvider = 'builtin'
export const builtinModel = 'rules-1'

const unknown: Rule = {
  id: 'unknown',
  classification: 'UNKNOWN',
  applies: () => true,
  rootCause: (facts) =>
    `The cause is not known: no rule fits this failure. What was observed: ${messageOf(facts)}.`,
  userImpact: () => 'Not known. Check by hand whether users can do what this check does.',
  fix: (facts) =>
    `Look at ${leavesFiles(facts) ? "the run's log and files, and at " : ''}what was deployed or changed before the first failure. Compare with the last run that passed.`,
}

/** Whether an analysis of ours says that it does not know. */
export const isUnknown = ({ classification }: Pick<Analysis, 'classification'>): boolean =>
  classification === unknown.classification

export const ruleFor = (facts: Facts): Rule => rules.find((rule) => rule.applies(facts)) ?? unknown

export const analyseByRules = (facts: Facts): Analysis => analysisWith(facts, contextOf(facts))

/** For messages. */
export const quickAnalysis = (facts: Facts): Analysis => analysisWith(facts, circumstancesOf(facts))

const analysisWith = (facts: Facts, context: readonly string[]): Analysis => {
  const rule = ruleFor(facts)
  const { links = [] } = rule
  const told = facts.userContext.trim()
  return {
    classification: rule.classification,
    rootCause: [rule.rootCause(facts), ...context].join(' ').slice(0, 8000),
    userImpact: rule.userImpact(facts),
    codeFix: rule.fix(facts),
    evidence: [
      ...(rule.evidence?.(facts) ?? []),
      ...commonEvidence(facts),
      ...(told === '' ? [] : [{ description: `Noted with the request: ${told}`, artifacts: [] }]),
    ],
    referenceLinks: links.length === 0 ? null : links,
  }
}
