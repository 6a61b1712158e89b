import { RE2JS, RE2JSException } from 're2js'
import { boundedMemo } from '../../protocol/bounded-memo.ts'
import { isReadProblem, type ReadProblem, readProblem } from './reading.ts'

/** Repetitions are unrolled, so their sum bounds what compiling a pattern costs. */
const maxRepetitions = 4000

/**
 * The first capture group of the pattern's first match, the whole match if it has no group, and undefined if nothing
 * matches. RE2's syntax: no backreferences and no lookaround, because its time is linear in the length of the text.
 */
export const firstGroup = (pattern: string, text: string): string | undefined | ReadProblem => {
  const compiled = compilePattern(pattern)
  if (isReadProblem(compiled)) return compiled
  const matcher = compiled.matcher(text)
  if (!matcher.find()) return undefined
  return matcher.group(compiled.groupCount() === 0 ? 0 : 1) ?? undefined
}

const compile = (pattern: string): RE2JS | ReadProblem => {
  let repetitions = 0
  for (const [, least = '', most = ''] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g))
    repetitions += Math.max(Number(least), Number(most))
  if (repetitions > maxRepetitions) return readProblem('the regular expression repeats too much')
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern))
  } catch (error) {
    if (error instanceof RE2JSException)
      return readProblem(`the regular expression is not valid: ${error.message}`)
    throw error
  }
}

/** States of the largest pattern that is kept. */
const maxKeptStates = 200

/** JavaScript's spelling of escapes and named groups is understood. */
export const compilePattern = boundedMemo(compile, {
  limit: 200,
  keeps: (made) => isReadProblem(made) || made.programSize() <= maxKeptStates,
})
