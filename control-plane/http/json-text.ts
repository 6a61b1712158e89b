/**
 * From text to a value that the store can hold. `JSON.parse` accepts what would hurt later: nesting that overflows the
 * stack of whoever walks it, NUL (PostgreSQL's text refuses it), lone surrogates (not UTF-8) and `__proto__` keys.
 */
import type { Violation } from '../../protocol/validate.ts'
import { ApiError, invalid } from './errors.ts'

const maxDepth = 64

/** @throws ApiError 400 */
export const parseJson = (text: string): unknown => {
  const { depth, hasEscapes } = scan(text)
  if (depth > maxDepth) throw new ApiError(400, `The body is nested deeper than ${maxDepth} levels`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ApiError(400, `The body is not valid JSON: ${withoutQuote(error as SyntaxError)}`)
  }
  if (hasEscapes || text.includes('__proto__')) {
    const violations = unstorable(value)
    if (violations.length > 0) throw invalid(violations)
  }
  return value
}

/** V8 quotes what stands around the mistake (`, ..."word": "hunt"... is not valid JSON`), and that may be a secret. */
const withoutQuote = ({ message }: SyntaxError): string => message.replace(/,? (\.\.\.)?".*$/s, '')

/** Deepest nesting, and whether a string holds `\u…` (what NUL and lone surrogates need). */
const scan = (text: string): { depth: number; hasEscapes: boolean } => {
  let depth = 0
  let deepest = 0
  let inString = false
  let hasEscapes = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === 0x22) inString = false
      else if (code === 0x5c) {
        at += 1
        if (text.charCodeAt(at) === 0x75) hasEscapes = true
      }
    } else if (code === 0x22) inString = true
    else if (code === 0x5b || code === 0x7b) {
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (code === 0x5d || code === 0x7d) depth -= 1
  }
  return { depth: deepest, hasEscapes }
}

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
