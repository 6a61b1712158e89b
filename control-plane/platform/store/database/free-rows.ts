import type { SelectQueryBuilder } from 'kysely'
import type { Engine } from './engines.ts'

/**
 * Rows that nobody else is changing, held until the transaction ends. An engine that cannot leave out what others hold waits
 * for it, and then finds that it is taken; one with a single writer has nobody to wait for.
 */
export const freeRows = <Database, Of extends keyof Database & string, Row>(
  engine: Engine,
  rows: SelectQueryBuilder<Database, Of, Row>,
  of?: NoInfer<Of>,
): SelectQueryBuilder<Database, Of, Row> => {
  if (!engine.rowLocks) return rows
  const held = of === undefined ? rows.forUpdate() : rows.forUpdate(of)
  return engine.skipLocked ? held.skipLocked() : held
}
