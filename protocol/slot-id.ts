import { createHash } from 'node:crypto'

/** One attempt of a scheduled run: a check's due time in a location. `attempt` from 1. */
type Slot = { checkId: string; location: string; dueAt: number; attempt: number }

/**
 * The id of an attempt of a scheduled run, the same whoever derives it, so that a run that two have made is stored once: a UUID version 8
 * (RFC 9562 section 5.8) of 48 bits of its due time, which keeps ids growing with time as those of version 7 do, and 74 bits
 * of SHA-256 over all of it. `location`: the code of a public location or a private location's id.
 */
export const slotIdOf = ({ checkId, location, dueAt, attempt }: Slot): string => {
  const hash = createHash('sha256')
    .update(JSON.stringify([checkId, location, dueAt, attempt]))
    .digest('hex')
  const time = dueAt.toString(16).padStart(12, '0')
  const variant = '89ab'[Number.parseInt(hash[3] as string, 16) & 3] as string
  return `${time.slice(0, 8)}-${time.slice(8)}-8${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`
}
