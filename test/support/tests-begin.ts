/** What the clocks of tests begin at, and the periods of results in their stores. */
export const testsBeginAt = Date.UTC(2026, 0, 1)
