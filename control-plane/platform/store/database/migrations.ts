/**
 * All migrations in order: forward only, never edited once released. Until the first release there is one, and what changes
 * the schema changes its files.
 */
import type { Engine } from './engines.ts'
import { startingSchema } from './schema/schema.ts'

export type Migration = {
  id: string
  /** Portable (ddl.ts), but where engines differ. */
  statements(engine: Engine): readonly string[]
}

export const migrations: readonly Migration[] = [{ id: '0001-schema', statements: startingSchema }]
