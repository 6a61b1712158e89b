/**
 * The analyst that always works: rules over the facts, no network, no guesses. Pure.
 *
 * The first rule that applies names what broke; history and neighbours add since when, where and who else; where no rule
 * applies it says that it does not know and shows what there is.
 */
import { allInEnglish, inEnglish, type Told, tell } from '../../platform/words/told.ts'
import { circumstancesOf, commonEvidence, contextOf } from './context.ts'
import { type Facts, messageOf } from './facts.ts'
import { leavesFiles } from './rules/files.ts'
import { rules } from './rules/index.ts'
import type { Rule } from './rules/rule.ts'
import type { Analysis, ToldAnalysis } from './schema.ts'

export const builtinProvider = 'builtin'
export const builtinModel = 'rules-1'

const unknown: Rule = {
  id: 'unknown',
  classification: 'UNKNOWN',
  applies: () => true,
  rootCause: (facts) =>
    tell`The cause is not known: no rule fits this failure. What was observed: ${messageOf(facts)}.`,
  userImpact: () => tell`Not known. Check by hand whether users can do what this check does.`,
  fix: (facts) =>
    tell`Look at ${leavesFiles(facts) ? tell`the run's log and files, and at ` : ''}what was deployed or changed before the first failure. Compare with the last run that passed.`,
}

/** Whether an analysis of ours says that it does not know. */
export const isUnknown = ({ classification }: Pick<Analysis, 'classification'>): boolean =>
  classification === unknown.classification

export const ruleFor = (facts: Facts): Rule => rules.find((rule) => rule.applies(facts)) ?? unknown

/** What the rules find, and the sentences of it that each reader has in their own language. */
type Found = { analysis: Analysis; told: ToldAnalysis }

export const analyseByRules = (facts: Facts): Found => foundWith(facts, contextOf(facts))

/** For messages. */
export const quickAnalysis = (facts: Facts): Found => foundWith(facts, circumstancesOf(facts))

const foundWith = (facts: Facts, context: readonly Told[]): Found => {
  const rule = ruleFor(facts)
  const { links = [] } = rule
  const noted = facts.userContext.trim()
  const told = {
    rootCause: [rule.rootCause(facts), ...context],
    userImpact: rule.userImpact(facts),
    codeFix: rule.fix(facts),
  }
  const analysis = {
    classification: rule.classification,
    rootCause: allInEnglish(told.rootCause).slice(0, 8000),
    userImpact: inEnglish(told.userImpact),
    codeFix: inEnglish(told.codeFix),
    evidence: [
      ...(rule.evidence?.(facts) ?? []),
      ...commonEvidence(facts),
      ...(noted === '' ? [] : [{ description: `Noted with the request: ${noted}`, artifacts: [] }]),
    ],
    referenceLinks: links.length === 0 ? null : links,
  }
  return { analysis, told }
}
