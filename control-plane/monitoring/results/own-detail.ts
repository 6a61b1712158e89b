import type { AssertionOutcome } from '../../../protocol/assertion.ts'
import { type CheckType, protocolOf } from '../../../protocol/check-type.ts'
import { checkKinds } from '../definitions/checks/types/index.ts'

type NamedProperties = { [property: string]: unknown }

const types = Object.keys(checkKinds) as CheckType[]
const observed = types.filter((type) => protocolOf(type).detail !== null)
const propertyOf = (type: string): string | null => protocolOf(type as CheckType).resultProperty

/** The properties of a result that belong to check types, first those that agents fill; each result has that of its type. */
export const detailProperties: readonly string[] = [
  ...new Set([...observed, ...types].flatMap((type) => propertyOf(type) ?? [])),
]

/** What a run of the type saw: the `detail` of its observation, in a result or in its document. Null: nothing, or its time is over. */
export const ownDetail = (type: string, result: NamedProperties): unknown => {
  const property = propertyOf(type)
  return property === null || result['shortened'] === true ? null : (result[property] ?? null)
}

/** Types that have assertions keep them in their detail. Those of agentic checks are conditions in words, and have no source. */
export const assertionsIn = (detail: unknown): AssertionOutcome[] =>
  ((detail as { assertions?: AssertionOutcome[] } | null)?.assertions ?? []).filter(
    ({ source }) => source !== undefined,
  )
