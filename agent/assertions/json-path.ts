import { JSONPathEnvironment, type JSONPathNode } from 'json-p3'
import { boundedMemo } from '../../protocol/bounded-memo.ts'
import type { Actual } from './comparisons.ts'
import { compileIRegexp } from './first-group.ts'
import { characterCount, lengthNode, standardPath } from './path-dialect.ts'
import { isReadError, type ReadError, readError, TooManySteps, type ValueList, valueList } from './reading.ts'

/** Levels that `..` may go down. */
const maxDepth = 100

/**
 * What a JSON path (RFC 9535, `.length` of arrays at its end, and the spellings of path-dialect.ts) selects: the value for a path
 * that can only name one, undefined when nothing is there, otherwise all values. An empty path is the whole document. A path that
 * looks at more than `maxSteps` nodes throws TooManySteps.
 */
export const readJsonPath = (
  path: string,
  document: unknown,
  maxSteps: number,
): Actual | ValueList | ReadError => {
  const wanted = path.trim() === '' ? '$' : path.trim()
  if (!wanted.startsWith('$')) return readError(`the JSON path "${brief(path)}" does not start with $`)
  const ofLength = /[^.]\.length$/.test(wanted)
  const found = query(ofLength ? wanted.slice(0, -'.length'.length) : wanted, document, maxSteps)
  if (isReadError(found)) return found
  const values = ofLength ? found.values.flatMap(lengthOf) : found.values
  if (found.singular || values.length === 0) return values[0]
  return valueList(values)
}

/** Of an array, or what the member of that name is, as RFC 9535 has it. */
const lengthOf = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return [value.length]
  const isMember = typeof value === 'object' && value !== null && Object.hasOwn(value, 'length')
  return isMember ? [(value as { length: unknown }).length] : []
}

type PathSelection = { singular: boolean; values: unknown[] }

const query = (path: string, document: unknown, maxSteps: number): PathSelection | ReadError => {
  const compiled = compilePath(path)
  if (isReadError(compiled)) return compiled
  try {
    return compiled(document, maxSteps)
  } catch (error) {
    if (error instanceof TooManySteps) throw error
    return readError(`the JSON path "${brief(path)}" goes too deep in this document`)
  }
}

type CompiledPath = (document: unknown, maxSteps: number) => PathSelection

/** Names and indices alone, as most paths are. */
const plainPath = /^\$(?:\.[A-Za-z_]\w*|\[(?:0|[1-9]\d{0,8})\])*$/

/** Whether a path takes no more steps than it has parts. */
export const isPlainPath = (path: string): boolean => plainPath.test(path.trim())

const compile = (path: string): CompiledPath | ReadError =>
  plainPath.test(path) ? compilePlain(path) : compileAny(path)

const compilePlain = (path: string): CompiledPath => {
  const parts = [...path.matchAll(/\.(\w+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index))
  return (document) => {
    let value = document
    for (const part of parts) {
      const fits = typeof part === 'number' ? Array.isArray(value) : isObject(value)
      if (!fits || !Object.hasOwn(value as object, part)) return { singular: true, values: [] }
      value = (value as Record<string | number, unknown>)[part]
    }
    return { singular: true, values: [value] }
  }
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The compiled path counts its steps, from none in each document. */
const compileAny = (path: string): CompiledPath | ReadError => {
  let steps = 0
  let max = 0
  const patterns: Patterns = new Map()
  const spend = (count: number): void => {
    steps += count
    if (steps > max) throw new TooManySteps()
  }
  const environment = createEnvironment(spend, patterns)
  let compiled: ReturnType<typeof environment.compile>
  try {
    compiled = environment.compile(standardPath(path))
    countSteps(compiled, spend)
  } catch {
    return readError(`"${brief(path)}" is not a JSON path (RFC 9535)`)
  }
  const singular = compiled.singularQuery()
  return (document, maxSteps) => {
    steps = 0
    max = maxSteps
    // Patterns may come from the document.
    patterns.clear()
    const values: unknown[] = []
    for (const { value } of compiled.lazyQuery(document as Parameters<typeof compiled.lazyQuery>[0]))
      values.push(value)
    return { singular, values }
  }
}

const compilePath = boundedMemo(compile, { limit: 500 })

type Patterns = Map<string, ReturnType<typeof compileIRegexp>>

const createEnvironment = (spend: (count: number) => void, patterns: Patterns): JSONPathEnvironment => {
  const environment = new JSONPathEnvironment()
  // Read once for every value that `..` comes to: the one place where its steps can be counted.
  Object.defineProperty(environment, 'maxRecursionDepth', {
    get: () => {
      spend(1)
      return maxDepth
    },
  })
  const ownLength = environment.functionRegister.get('length')
  if (ownLength === undefined) throw new Error('json-p3 has no function length')
  environment.functionRegister.set('length', {
    argTypes: ownLength.argTypes,
    returnType: ownLength.returnType,
    call: (value: unknown) => {
      if (typeof value !== 'string') return ownLength.call(value)
      spend(1 + Math.ceil(value.length / 50))
      return characterCount(value)
    },
  })
  const find = { match: 'matches', search: 'find' } as const
  for (const name of ['match', 'search'] as const) {
    const original = environment.functionRegister.get(name)
    if (original === undefined) throw new Error(`json-p3 has no function ${name}`)
    environment.functionRegister.set(name, {
      argTypes: original.argTypes,
      returnType: original.returnType,
      call: (text: unknown, source: unknown) => {
        if (typeof text !== 'string' || typeof source !== 'string') return false
        const pattern = patterns.get(source) ?? compileIRegexp(source)
        patterns.set(source, pattern)
        if (isReadError(pattern)) return false
        spend(1 + Math.ceil((pattern.re2.programSize() * text.length) / 50))
        return pattern.re2.matcher(text)[find[name]]()
      },
    })
  }
  return environment
}

type Selector = { name?: unknown; expression?: unknown; resolve(node: JSONPathNode): JSONPathNode[] }

/** Counts what every selector, also of the queries inside filters, looks at. These know lengths (path-dialect.ts). */
const countSteps = (
  compiled: unknown,
  spend: (count: number) => void,
  position: 'top' | 'filter' = 'top',
): void => {
  if (typeof compiled !== 'object' || compiled === null) return
  if (!('segments' in compiled)) {
    for (const [name, part] of Object.entries(compiled))
      if (name !== 'token' && name !== 'environment') countSteps(part, spend, 'filter')
    return
  }
  const segments = compiled.segments as { selectors: Selector[] }[]
  for (const { selectors } of segments)
    for (const selector of selectors) {
      const isLength =
        position === 'filter' && selector.name === 'length' && selectors === segments.at(-1)?.selectors
      const resolve = selector.resolve.bind(selector)
      const filters = selector.expression !== undefined
      selector.resolve = (node) => {
        spend(filters && Array.isArray(node.value) ? node.value.length : 1)
        const length = isLength ? lengthNode(node) : null
        const nodes = length === null ? resolve(node) : [length]
        spend(nodes.length)
        return nodes
      }
      countSteps(selector.expression, spend, 'filter')
    }
}

const brief = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path)
