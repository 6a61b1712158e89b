/** Who is told of every statement: how long SQLite held the process for it, or PostgreSQL took to answer. */
export type StatementWatch = {
  /** Milliseconds of a clock that only goes forward. */
  monotonic(): number
  note(statement: WatchedStatement, durationMs: number): void
}

export type WatchedStatement = {
  /** Null: built for one call. */
  name: string | null
  sql: string
  kind: 'read' | 'write' | 'commit'
}

export const unwatched: StatementWatch = { monotonic: () => 0, note: () => undefined }
