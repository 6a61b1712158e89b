/** Quarters of hours, hours and days of the rollups, in UTC. Pure. */
export const quarterMs = 900_000
export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

/** Rows of `result_rollups`, by the minutes that a cell in one covers. A row has all quarters of its hour. */
export const quarterly = 15
export const hourly = 60
export const daily = 1440
export type Grain = typeof quarterly | typeof hourly | typeof daily

export const quarterOf = (instant: number): number => Math.floor((instant % hourMs) / quarterMs)
export const hourOf = (instant: number): number => Math.floor(instant / hourMs) * hourMs
export const dayOf = (instant: number): number => Math.floor(instant / dayMs) * dayMs

/** For how long quarters are kept, and hours by location and status; days are for as long as rollups are. */
export const fineMs = 90 * dayMs
