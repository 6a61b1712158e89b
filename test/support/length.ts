/**
 * How much a run of the tests tries: `short` (`npm test`), `all` (`npm run test:all`) or `long` (`npm run test:long`).
 * `test/run.ts` says it in TEST_LENGTH; a file that somebody runs by itself with node tries what CI tries.
 */

export const lengths = ['short', 'all', 'long'] as const
export type Length = (typeof lengths)[number]

export const lengthVariable = 'TEST_LENGTH'

/** Names of engines with commas between them, for a process whose tests run on fewer than all (`engineNames` of databases.ts). */
export const enginesVariable = 'TEST_ENGINES'

/** @throws for a word that is no length */
export const readLength = (word: string | undefined): Length => {
  const length = lengths.find((length) => length === (word ?? 'all'))
  if (length === undefined) throw new Error(`${lengthVariable}=${word}: it is one of ${lengths.join(', ')}`)
  return length
}

/** Whether what belongs to runs of `needed` and longer is part of a run of `length`. */
export const isPartOf = (length: Length, needed: Length): boolean =>
  lengths.indexOf(needed) <= lengths.indexOf(length)

/** Of this run. */
export const length: Length = readLength(process.env[lengthVariable])

/** A count for this run. A long run takes that of `all` where it has none of its own. */
export const byLength = <T>(of: { short: T; all: T; long?: T }): T =>
  length === 'long' ? (of.long ?? of.all) : of[length]

/** Whether this run has what belongs to `needed` and longer runs only: `if (runsIn('all')) t.test(…)`. */
export const runsIn = (needed: Length): boolean => isPartOf(length, needed)
