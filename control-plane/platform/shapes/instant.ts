/** Epoch milliseconds as the API writes them: ISO 8601 in UTC, to the millisecond. */
export const toIso = (epochMs: number): string => new Date(epochMs).toISOString()

export const toIsoOrNull = (epochMs: number | null): string | null =>
  epochMs === null ? null : toIso(epochMs)
