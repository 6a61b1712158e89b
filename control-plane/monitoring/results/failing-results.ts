import { sql } from 'kysely'

/** The condition of the index `results_failing`: in these words, since no engine takes a parameter for its 1. */
export const failingResults = sql<boolean>`(has_failures = 1 or has_errors = 1)`
