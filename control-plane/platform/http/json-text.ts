/**
 * From text to a value that the store can hold. `JSON.parse` accepts what would hurt later: nesting that overflows the
 * stack of whoever walks it, NUL (PostgreSQL's text refuses it), lone surrogates (not UTF-8) and `__proto__` keys.
 */
import type { Violation } from '../../../protocol/validate.ts'
import { ApiError, invalid } from './errors.ts'

const maxDepth = 64

/** @throws ApiError 400 */
export const parseJson = (text: string): unknown => {
  const value = parsed(text)
  if (isDeeper(value, maxDepth)) throw new ApiError(400, `The body is nested deeper than ${maxDepth} levels`)
  if (mayBeUnstorable(text)) {
    const violations = unstorable(value)
    if (violations.length > 0) throw invalid(violations)
  }
  return value
}

/**
 * The same for a body that repeats what others said, who cannot be asked to say it otherwise: what the store cannot hold
 * is replaced.
 * @throws ApiError 400 when it is not JSON
 */
export const parseForeignJson = (text: string): unknown => {
  const value = parsed(text)
  return mayBeUnstorable(text) || isDeeper(value, maxDepth) ? mended(value, maxDepth) : value
}

const parsed = (text: string): unknown => {
  try {
    // V8 parses any nesting without recursion; who walks the value afterwards may not.
    return JSON.parse(text)
  } catch (error) {
    throw new ApiError(400, `The body is not valid JSON: ${withoutQuote(error as SyntaxError)}`)
  }
}

/** NUL and lone surrogates can only come as escapes: the bytes were UTF-8, and JSON has no bare control characters. */
const mayBeUnstorable = (text: string): boolean => text.includes('\\u') || text.includes('__proto__')

const replacement = '\ufffd'

const mended = (value: unknown, levels: number): unknown => {
  if (typeof value === 'string') return mendedText(value)
  if (value === null || typeof value !== 'object') return value
  if (levels === 0) return '[nested too deeply]'
  if (Array.isArray(value)) return value.map((inner) => mended(inner, levels - 1))
  const entries = Object.entries(value).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(entries.map(([key, inner]) => [mendedText(key), mended(inner, levels - 1)]))
}

const mendedText = (text: string): string => text.replaceAll('\0', replacement).toWellFormed()

/** Walks values, not characters: most of a body is inside of strings. Recurses `levels` deep at most. */
const isDeeper = (value: unknown, levels: number): boolean => {
  if (value === null || typeof value !== 'object') return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some((inner) => isDeeper(inner, levels - 1))
  for (const key in value) if (isDeeper((value as Record<string, unknown>)[key], levels - 1)) return true
  return false
}

/** V8 quotes what stands around the mistake (`, ..."word": "hunt"... is not valid JSON`), and that may be a secret. */
const withoutQuote = ({ message }: SyntaxError): string => message.replace(/,? (\.\.\.)?".*$/s, '')

/** Why a text cannot be stored, if it cannot. */
export const textProblem = (text: string): string | null => {
  if (text.includes('\0')) return 'must not contain NUL'
  if (!text.isWellFormed()) return 'must not contain a lone surrogate'
  return null
}

const unstorable = (root: unknown): Violation[] => {
  const violations: Violation[] = []
  const pending: Array<{ path: string; value: unknown }> = [{ path: '', value: root }]
  const report = (path: string, problem: string) =>
    violations.push({
      path,
      rule: 'text',
      message: path === '' ? `the value ${problem}` : `"${path}" ${problem}`,
    })
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, value } = next
    if (typeof value === 'string') {
      const problem = textProblem(value)
      if (problem !== null) report(path, problem)
    } else if (value !== null && typeof value === 'object') {
      for (const [key, inner] of Object.entries(value)) {
        if (key === '__proto__' || textProblem(key) !== null) report(path, 'has a key that is not allowed')
        else pending.push({ path: path === '' ? key : `${path}.${key}`, value: inner })
      }
    }
  }
  return violations
}
