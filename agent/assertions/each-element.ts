import type { Assertion } from '../../protocol/assertion.ts'
import type { Actual } from './comparisons.ts'

/**
 * What an assertion compares: each element of a list, as if the path had named them one by one, where the
 * comparison is about one value. A list as the target, an empty list, and all other comparisons are about the list itself.
 */
export const elementsOf = (found: Actual, { comparison, target }: Assertion): readonly Actual[] => {
  if (!Array.isArray(found) || found.length === 0) return [found]
  const isOrder = comparison === 'LESS_THAN' || comparison === 'GREATER_THAN'
  const isEquality = comparison === 'EQUALS' || comparison === 'NOT_EQUALS'
  return isOrder || (isEquality && !isListText(target ?? '')) ? found : [found]
}

const isListText = (target: string): boolean => {
  try {
    return Array.isArray(JSON.parse(target))
  } catch {
    // A text that is no JSON is no list.
    return false
  }
}
