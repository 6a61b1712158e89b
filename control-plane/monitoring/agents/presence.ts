import type { Seen } from './queries.ts'

/** What this process has noted: the latest sign of life by agent, and which of them are not written yet. */
export type Presence = { latest: Map<string, Seen>; unwritten: Set<string> }

export const createPresence = (): Presence => ({ latest: new Map(), unwritten: new Set() })
