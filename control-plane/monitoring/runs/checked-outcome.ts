import { type CheckType, checkTypes, protocolOf } from '../../../protocol/check-type.ts'
import type { Outcome } from '../../../protocol/result.ts'
import { compile, type Validator } from '../../../protocol/validate.ts'

const details = new Map<string, Validator<unknown>>(
  checkTypes.flatMap((type) => {
    const { detail } = protocolOf(type)
    return detail === null ? [] : [[type, compile(detail)] as const]
  }),
)

/**
 * The outcome of a report, if its detail has the shape of its check type. Otherwise the run could not be run, and says
 * so: the due time still ends as exactly one result, and nobody is shown what cannot be read.
 */
export const checkedOutcome = (type: CheckType, outcome: Outcome): Outcome => {
  if (outcome.kind !== 'observed') return outcome
  const validate = details.get(type)
  if (validate === undefined) return unreadable(`no agent can observe checks of type ${type}`)
  const checked = validate(outcome.observation.detail)
  return checked.ok ? outcome : unreadable(checked.violations[0]?.message ?? 'it has another shape')
}

const unreadable = (problem: string): Outcome => ({
  kind: 'could-not-run',
  reason: `The agent reported an observation that cannot be read: ${problem}`,
})
