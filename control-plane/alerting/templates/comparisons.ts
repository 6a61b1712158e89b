/**
 * Comparison helpers, as templates that people bring along use them: `{{#if (eq a b)}}`, `{{#eq a b}}…{{else}}…{{/eq}}`.
 * Inside of an expression they answer true or false, as a block they choose. Pure.
 */
type Options = { fn?: (context: unknown) => string; inverse?: (context: unknown) => string }
type Helper = (this: unknown, ...given: unknown[]) => unknown

/** A helper that answers as an expression or a block; `test` is given the values without Handlebars' options. */
const chooses = (test: (...values: unknown[]) => boolean): Helper =>
  function (...given) {
    const options = given.at(-1) as Options
    const holds = test(...given.slice(0, -1))
    if (typeof options.fn !== 'function') return holds
    return holds ? options.fn(this) : (options.inverse?.(this) ?? '')
  }

const isTruthy = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))

// `is` and `isnt` are the loose comparisons: a number and the same number as text are equal.
const isLoosely = (a: unknown, b: unknown): boolean => a === b || String(a ?? '') === String(b ?? '')

type Comparable = number | string

const ordered =
  (holds: (a: Comparable, b: Comparable) => boolean) =>
  (a: unknown, b: unknown): boolean => {
    const [x, y] = [Number(a), Number(b)]
    const areNumbers = !Number.isNaN(x) && !Number.isNaN(y)
    return areNumbers ? holds(x, y) : holds(String(a ?? ''), String(b ?? ''))
  }

const gt = ordered((a, b) => a > b)
const gte = ordered((a, b) => a >= b)
const lt = ordered((a, b) => a < b)
const lte = ordered((a, b) => a <= b)

const operators: Record<string, (a: unknown, b: unknown) => boolean> = {
  '==': isLoosely,
  '===': (a, b) => a === b,
  '!=': (a, b) => !isLoosely(a, b),
  '!==': (a, b) => a !== b,
  '<': lt,
  '>': gt,
  '<=': lte,
  '>=': gte,
  typeof: (a, b) => typeof a === b,
}

const compare = (a: unknown, operator: unknown, b: unknown): boolean => {
  const holds = Object.hasOwn(operators, String(operator)) ? operators[String(operator)] : undefined
  if (!holds) throw new Error(`"compare" knows the operators ${Object.keys(operators).join(' ')}`)
  return holds(a, b)
}

const contains = (collection: unknown, value: unknown): boolean => {
  if (typeof collection === 'string') return collection.includes(String(value))
  if (Array.isArray(collection)) return collection.some((item) => isLoosely(item, value))
  return typeof collection === 'object' && collection !== null && Object.hasOwn(collection, String(value))
}

const isEven = (value: unknown): boolean => Number(value) % 2 === 0

export const comparisons: Record<string, Helper> = {
  eq: chooses((a, b) => a === b),
  is: chooses(isLoosely),
  isnt: chooses((a, b) => !isLoosely(a, b)),
  gt: chooses(gt),
  gte: chooses(gte),
  lt: chooses(lt),
  lte: chooses(lte),
  compare: chooses(compare),
  and: chooses((...values) => values.every(isTruthy)),
  or: chooses((...values) => values.some(isTruthy)),
  not: chooses((value) => !isTruthy(value)),
  neither: chooses((a, b) => !isTruthy(a) && !isTruthy(b)),
  isTruthy: chooses(isTruthy),
  isFalsey: chooses((value) => !isTruthy(value)),
  contains: chooses(contains),
  has: chooses(contains),
  ifEven: chooses(isEven),
  ifOdd: chooses((value) => !isEven(value)),
  ifNth: chooses((nth, value) => Number(value) % Number(nth) === 0),
  unlessEq: chooses((a, b) => !isLoosely(a, b)),
  unlessGt: chooses((a, b) => !gt(a, b)),
  unlessGteq: chooses((a, b) => !gte(a, b)),
  unlessLt: chooses((a, b) => !lt(a, b)),
  unlessLteq: chooses((a, b) => !lte(a, b)),
}
