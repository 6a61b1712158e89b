/** Hours and days of the rollups, in UTC. Pure. */
export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

/** Rows of `result_rollups`, by how many hours one covers. */
export const hourly = 1
export const daily = 24

export const hourOf = (instant: number): number => Math.floor(instant / hourMs) * hourMs
export const dayOf = (instant: number): number => Math.floor(instant / dayMs) * dayMs
