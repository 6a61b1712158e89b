import { RE2JS, RE2JSException } from 're2js'
import { boundedMemo } from '../../protocol/bounded-memo.ts'
import { createLocate, type Locate } from './locate.ts'
import { inDialect, type PatternDialect } from './pattern-dialect.ts'
import { isReadError, type ReadError, readError, TooManySteps } from './reading.ts'

/** Repetitions are unrolled, so their sum bounds what compiling a pattern costs. */
const maxRepetitions = 4000

/** A pattern, and where its matches are to be looked for. */
type CompiledPattern = { re2: RE2JS; locate: Locate }

/** In shorter texts looking for the match costs less than looking for where it begins. */
const shortText = 500

/**
 * The first capture group of the pattern's first match, the whole match if it has no group, and undefined if nothing
 * matches. RE2's syntax: no backreferences and no lookaround, because its time is linear in the length of the text. A search
 * that takes more than `maxSteps`, instructions of the pattern at a character of the text, throws TooManySteps.
 */
export const firstGroup = (
  pattern: string,
  text: string,
  maxSteps = Number.POSITIVE_INFINITY,
): string | undefined | ReadError => {
  const compiled = compilePattern(pattern)
  if (isReadError(compiled)) return compiled
  const from = start(compiled, text, maxSteps)
  if (from === null) return undefined
  const matcher = compiled.re2.matcher(text)
  if (!matcher.find(from)) return undefined
  return matcher.group(compiled.re2.groupCount() === 0 ? 0 : 1) ?? undefined
}

const start = ({ re2, locate }: CompiledPattern, text: string, maxSteps: number): number | null => {
  if (re2.programSize() * text.length <= maxSteps && text.length <= shortText) return 0
  let steps = 0
  const spend = (cost: number): void => {
    steps += cost
    if (steps > maxSteps) throw new TooManySteps()
  }
  return locate(text, maxSteps === Number.POSITIVE_INFINITY ? undefined : spend)
}

const compile = (pattern: string, dialect: PatternDialect): CompiledPattern | ReadError => {
  let repetitions = 0
  for (const [, min = '', max = ''] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g))
    repetitions += Math.max(Number(min), Number(max))
  if (repetitions > maxRepetitions) return readError('the regular expression repeats too much')
  try {
    const re2 = RE2JS.compile(inDialect(RE2JS.translateRegExp(pattern), dialect))
    return { re2, locate: createLocate(re2) }
  } catch (error) {
    if (error instanceof RE2JSException)
      return readError(`the regular expression is not valid: ${error.message}`)
    throw error
  }
}

/** States of the largest pattern that is kept. */
const maxCachedStates = 200

const compileIn = (dialect: PatternDialect) =>
  boundedMemo((pattern) => compile(pattern, dialect), {
    limit: 200,
    keeps: (made) => isReadError(made) || made.re2.programSize() <= maxCachedStates,
  })

/** JavaScript's spelling of escapes and named groups is understood. */
export const compilePattern = compileIn('javascript')

/** A pattern of a JSON path. */
export const compileIRegexp = compileIn('i-regexp')
