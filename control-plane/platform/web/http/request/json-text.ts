/**
 * From the bytes of a body, which are UTF-8, to a value that the store can hold. `JSON.parse` accepts what hurts: nesting
 * that takes seconds and overflows the stack of whoever walks it, NUL (PostgreSQL's text refuses it), lone surrogates (not
 * UTF-8) and `__proto__` keys.
 */
import type { Violation } from '../../../../../protocol/validate.ts'
import { ApiError, invalid } from '../../../words/errors.ts'
import { valuesBelow, withoutValues } from './json-nesting.ts'

const maxDepth = 64
/** Values of a foreign body that are cut off. */
const maxCut = 1000

const nestedTooDeeply = (): ApiError =>
  new ApiError(400, `The body is nested deeper than ${maxDepth} levels`, { attributes: { maxDepth } })

/** @throws ApiError 400 */
export const parseJson = (bytes: Buffer): unknown => {
  if (valuesBelow(bytes, { levels: maxDepth, max: 0 }) === null) throw nestedTooDeeply()
  const text = bytes.toString('utf8')
  const value = parsed(text)
  if (mayBeUnstorable(text)) {
    const violations = unstorable(value)
    if (violations.length > 0) throw invalid(violations)
  }
  return value
}

/**
 * The same for a body that repeats what others said, who cannot be asked to say it otherwise: what the store cannot hold
 * is replaced.
 * @throws ApiError 400 when it is not JSON, or nests too deeply in very many places
 */
export const parseForeignJson = (bytes: Buffer): unknown => {
  const deep = valuesBelow(bytes, { levels: maxDepth, max: maxCut })
  if (deep === null) throw nestedTooDeeply()
  const shallow = deep.length === 0 ? bytes : withoutValues(bytes, deep, '"[nested too deeply]"')
  const text = shallow.toString('utf8')
  const value = parsed(text)
  return mayBeUnstorable(text) ? mended(value) : value
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ApiError(400, `The body is not valid JSON: ${withoutQuote(error as SyntaxError)}`)
  }
}

/** NUL and lone surrogates can only come as escapes: the bytes were UTF-8, and JSON has no bare control characters. */
const mayBeUnstorable = (text: string): boolean => text.includes('\\u') || text.includes('__proto__')

const replacement = '\ufffd'

/** Recurses as deep as the text was let to nest. */
const mended = (value: unknown): unknown => {
  if (typeof value === 'string') return mendedText(value)
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(mended)
  const entries = Object.entries(value).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(entries.map(([key, inner]) => [mendedText(key), mended(inner)]))
}

const mendedText = (text: string): string => text.replaceAll('\0', replacement).toWellFormed()

/** V8 quotes what stands around the mistake (`, ..."word": "hunt"... is not valid JSON`), and that may be a secret. */
const withoutQuote = ({ message }: SyntaxError): string => message.replace(/,? (\.\.\.)?".*$/s, '')

/** Why a text cannot be stored, if it cannot. */
export const textError = (text: string): string | null => {
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
      const problem = textError(value)
      if (problem !== null) report(path, problem)
    } else if (value !== null && typeof value === 'object') {
      for (const [key, inner] of Object.entries(value)) {
        if (key === '__proto__' || textError(key) !== null) report(path, 'has a key that is not allowed')
        else pending.push({ path: path === '' ? key : `${path}.${key}`, value: inner })
      }
    }
  }
  return violations
}

/** JSON of which nothing is known but that it may be none: null then. */
export const jsonValue = (text: string | null): unknown => {
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
