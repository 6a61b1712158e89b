import { type CheckType, protocolOf } from '../../../protocol/check-type.ts'
import type { Outcome } from '../../../protocol/result.ts'
import { compile, type Validator } from '../../../protocol/validate.ts'

const details = new Map<CheckType, Validator<unknown> | null>()

/** Compiled when the first of its type comes in: all of them would hold up a start, after which agents wait. Null: it has none. */
const validatorOf = (type: CheckType): Validator<unknown> | null => {
  const known = details.get(type)
  if (known !== undefined) return known
  const { detail } = protocolOf(type)
  const made = detail === null ? null : compile(detail)
  details.set(type, made)
  return made
}

/**
 * The outcome of a report, if its detail has the shape of its check type. Otherwise the run could not be run, and says
 * so: the due time still ends as exactly one result, and nobody is shown what cannot be read.
 */
export const checkedOutcome = (type: CheckType, outcome: Outcome): Outcome => {
  if (outcome.kind !== 'observed') return outcome
  const validate = validatorOf(type)
  if (validate === null) return unreadable(`no agent can observe checks of type ${type}`)
  const checked = validate(outcome.observation.detail)
  return checked.ok ? outcome : unreadable(checked.violations[0]?.message ?? 'it has another shape')
}

const unreadable = (problem: string): Outcome => ({
  kind: 'could-not-run',
  reason: `The agent reported an observation that cannot be read: ${problem}`,
})
