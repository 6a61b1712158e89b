/** `count` due times, `stepMs` apart, from `firstDueAt` to `lastDueAt`. */
export type DueTimes = { firstDueAt: number; lastDueAt: number; stepMs: number; count: number }

/** Whether `dueAt` is one of them. */
export const hasDueTime = ({ firstDueAt, lastDueAt, stepMs }: DueTimes, dueAt: number): boolean =>
  dueAt >= firstDueAt && dueAt <= lastDueAt && (dueAt === firstDueAt || (dueAt - firstDueAt) % stepMs === 0)

export const dueTimesIn = ({ firstDueAt, stepMs, count }: DueTimes): number[] =>
  Array.from({ length: count }, (_, n) => firstDueAt + n * stepMs)

/** What is left of a range without some of its due times, in ranges, the earliest first. Pure. */
export const withoutDueTimes = (range: DueTimes, taken: Iterable<number>): DueTimes[] => {
  const left: DueTimes[] = []
  const keep = (firstDueAt: number, until: number): void => {
    const count = Math.round((until - firstDueAt) / range.stepMs)
    if (count > 0)
      left.push({ ...range, firstDueAt, lastDueAt: firstDueAt + (count - 1) * range.stepMs, count })
  }
  let from = range.firstDueAt
  for (const dueAt of [...new Set(taken)].filter((at) => hasDueTime(range, at)).toSorted((a, b) => a - b)) {
    keep(from, dueAt)
    from = dueAt + range.stepMs
  }
  keep(from, range.lastDueAt + range.stepMs)
  return left
}
