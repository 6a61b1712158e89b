/** Which statement killed-at-statement.ts ends a program at. `statement`: a regular expression; `time`: 1 for the first that matches. */
export type KilledAt = { statement: string; time: number }

/** The environment's variable that has it as JSON. */
export const killedAtVariable = 'KILLED_AT'
