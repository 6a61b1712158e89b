import { isDeepStrictEqual } from 'node:util'
import { boundedMemo } from '../../protocol/bounded-memo.ts'
import type { Comparison } from '../../protocol/comparisons.ts'

/** What a source yields: a JSON value, or undefined when the selected part is not there. */
export type Actual = unknown

type Compare = (actual: Actual, target: string) => boolean

/**
 * All comparisons of the product. Targets are text and are coerced to what was observed: against a number "200" is the
 * number 200, against a boolean or an object it is JSON; a target that cannot be coerced never equals.
 */
export const compare: Record<Comparison, Compare> = {
  EQUALS: (actual, target) => equals(actual, target),
  NOT_EQUALS: (actual, target) => !equals(actual, target),
  GREATER_THAN: (actual, target) => order(actual, target, (a, b) => a > b),
  LESS_THAN: (actual, target) => order(actual, target, (a, b) => a < b),
  CONTAINS: (actual, target) => contains(actual, target),
  NOT_CONTAINS: (actual, target) => !contains(actual, target),
  HAS_KEY: (actual, target) => keys(actual).includes(target),
  NOT_HAS_KEY: (actual, target) => !keys(actual).includes(target),
  HAS_VALUE: (actual, target) => values(actual).some((value) => equals(value, target)),
  NOT_HAS_VALUE: (actual, target) => !values(actual).some((value) => equals(value, target)),
  IS_EMPTY: (actual) => isEmpty(actual),
  NOT_EMPTY: (actual) => !isEmpty(actual),
  IS_NULL: (actual) => actual === null || actual === undefined,
  NOT_NULL: (actual) => actual !== null && actual !== undefined,
}

const equals = (actual: Actual, target: string): boolean => {
  if (typeof actual === 'string') return actual === target
  if (typeof actual === 'number') return targetNumber(target) === actual
  if (actual === undefined) return false
  const wanted = parse(target)
  return typeof actual === 'object' && actual !== null ? isDeepStrictEqual(actual, wanted) : actual === wanted
}

const order = (actual: Actual, target: string, holds: (a: number, b: number) => boolean): boolean => {
  const left = typeof actual === 'number' ? actual : typeof actual === 'string' ? decimalNumber(actual) : null
  const right = targetNumber(target)
  return left !== null && right !== null && holds(left, right)
}

const contains = (actual: Actual, target: string): boolean => {
  if (typeof actual === 'string') return actual.includes(target)
  if (Array.isArray(actual)) return actual.some((item) => equals(item, target))
  if (actual === null || actual === undefined) return false
  return typeof actual === 'object' ? keys(actual).includes(target) : String(actual).includes(target)
}

const keys = (actual: Actual): string[] =>
  typeof actual === 'object' && actual !== null && !Array.isArray(actual) ? Object.keys(actual) : []

const values = (actual: Actual): unknown[] =>
  typeof actual === 'object' && actual !== null ? Object.values(actual) : []

const isEmpty = (actual: Actual): boolean => {
  if (actual === null || actual === undefined || actual === '') return true
  return typeof actual === 'object' && Object.keys(actual).length === 0
}

const parseTarget = (target: string): unknown => {
  try {
    return JSON.parse(target)
  } catch {
    // Not JSON, so it is equal to no JSON value but itself as text.
    return target
  }
}

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/**
 * A number as JSON and people write it, with an exponent if it has one and blanks around it, or null. `0xff`, `0b1`, `1_000`,
 * `12px` and nothing at all are texts.
 */
export const decimalNumber = (text: string): number | null => {
  const trimmed = text.trim()
  const number = decimal.test(trimmed) ? Number(trimmed) : Number.NaN
  return Number.isFinite(number) ? number : null
}

/** One target is often compared with thousands of values. Nobody writes to what comes out. */
const parse = boundedMemo(parseTarget, { limit: 50 })
const targetNumber = boundedMemo(decimalNumber, { limit: 50 })
