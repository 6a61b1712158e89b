import type { AssertionOutcome } from '../../protocol/assertion.ts'
import { type AssertionItem, judge } from '../assertions/evaluate.ts'
import { isBody } from '../assertions/material.ts'
import { TooManySteps } from '../assertions/reading.ts'
import { createReadings, type Readings } from '../assertions/readings.ts'
import { decode } from './do-task.ts'
import { estimateMs, pathSteps, patternSteps } from './estimate.ts'

/** What is left of the run's share of the event loop. */
type InlineBudget = { inlineMs: number }

/**
 * Judges at once what certainly fits into the budget, and takes the time that it took out of it. An item that comes back
 * without an outcome is too much for here.
 */
export const judgeInline = (
  items: readonly AssertionItem[],
  budget: InlineBudget,
  monotonic: () => number,
): (AssertionOutcome | null)[] => {
  const readings = createReadings({
    decode,
    patternSteps,
    pathSteps: ({ path, document }) => pathSteps(path, isBody(document) ? document.bytes.length : 0),
  })
  return items.map((item) => {
    const estimate = estimateMs(item, readings)
    if (estimate > budget.inlineMs) return null
    const began = monotonic()
    const outcome = judgeUnlessTooMuch(item, readings)
    // More than that is code that runs for the first time.
    budget.inlineMs -= Math.min(estimate, monotonic() - began)
    return outcome
  })
}

const judgeUnlessTooMuch = (item: AssertionItem, readings: Readings): AssertionOutcome | null => {
  try {
    return judge(item, readings)
  } catch (error) {
    if (error instanceof TooManySteps) return null
    throw error
  }
}
