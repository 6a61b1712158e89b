import { JSONPathEnvironment, type JSONPathNode } from 'json-p3'
import { boundedMemo } from '../../protocol/bounded-memo.ts'
import type { Actual } from './comparisons.ts'
import { compileIRegexp } from './first-group.ts'
import { characterCount, lengthNode, standardPath } from './path-dialect.ts'
import { isReadProblem, type ReadProblem, readProblem, type ValueList, valueList } from './reading.ts'

/** Nodes that one path may look at, and levels that `..` may go down: nobody else runs meanwhile. */
export const maxSteps = 1_000_000
export const maxDepth = 100

const tooMuch = 'too much'

/**
 * What a JSON path (RFC 9535, `.length` of arrays at its end, and the spellings of path-dialect.ts) selects: the value for a path that can only name one,
 * undefined when nothing is there, otherwise all values. An empty path is the whole document.
 */
export const readJsonPath = (path: string, document: unknown): Actual | ValueList | ReadProblem => {
  const wanted = path.trim() === '' ? '$' : path.trim()
  if (!wanted.startsWith('$')) return readProblem(`the JSON path "${brief(path)}" does not start with $`)
  const ofLength = /[^.]\.length$/.test(wanted)
  const found = query(ofLength ? wanted.slice(0, -'.length'.length) : wanted, document)
  if (isReadProblem(found)) return found
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

const query = (path: string, document: unknown): PathSelection | ReadProblem => {
  const compiled = compilePath(path)
  if (isReadProblem(compiled)) return compiled
  try {
    return compiled(document)
  } catch (error) {
    const problem =
      error instanceof Error && error.message === tooMuch ? 'looks at too many values' : 'goes too deep'
    return readProblem(`the JSON path "${brief(path)}" ${problem} in this document`)
  }
}

/** The compiled path counts its steps, from none in each document. */
const compile = (path: string): ((document: unknown) => PathSelection) | ReadProblem => {
  let steps = 0
  const patterns: Patterns = new Map()
  const spend = (count: number): void => {
    steps += count
    if (steps > maxSteps) throw new Error(tooMuch)
  }
  const environment = createEnvironment(spend, patterns)
  let compiled: ReturnType<typeof environment.compile>
  try {
    compiled = environment.compile(standardPath(path))
    countSteps(compiled, spend)
  } catch {
    return readProblem(`"${brief(path)}" is not a JSON path (RFC 9535)`)
  }
  const singular = compiled.singularQuery()
  return (document) => {
    steps = 0
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
        if (isReadProblem(pattern)) return false
        spend(1 + Math.ceil((pattern.programSize() * text.length) / 50))
        return pattern.matcher(text)[find[name]]()
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
  place: 'top' | 'filter' = 'top',
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
        place === 'filter' && selector.name === 'length' && selectors === segments.at(-1)?.selectors
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
