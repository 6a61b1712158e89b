/** All migrations in order: forward only, never edited once released. Each is a list of portable statements. */
import { runs } from './0001-runs.ts'

export type Migration = { id: string; statements: string[] }

export const migrations: Migration[] = [{ id: '0001-runs', statements: runs }]
