/** Whether what was measured each minute stayed as it was. Pure. */
import { median } from '../support/numbers.ts'

/** How much the end is above the middle of the run, in proportion: the third quarter against the last, by their medians. */
export const growthOf = (values: readonly number[]): number => {
  const quarter = Math.floor(values.length / 4)
  if (quarter === 0) return Number.NaN
  const third = median(values.slice(-2 * quarter, -quarter))
  const last = median(values.slice(-quarter))
  return third === 0 ? 0 : last / third - 1
}
