/** Retention's own memory. Conventions: store/database/tables.ts. */

/** One row (id 1). A turn is over when `ended_at` is not before `begun_at`; one control plane holds it until `held_until`. */
type RetentionTurnsTable = {
  id: number
  holder: string
  held_until: number
  begun_at: number
  ended_at: number
  /** When the next one begins. */
  due_at: number
}

export type RetentionTables = {
  retention_turns: RetentionTurnsTable
}
