import { stripTypeScriptTypes } from 'node:module'

/** `function`: the body of an async function in parentheses; `module`: an ES module, whose default export, if it has one, is to be called. */
type PlainScript = { kind: 'function' | 'module'; code: string }

const head = '(async () => {\n'
const tail = '\n})'

/** A script in JavaScript, as it was always run: so that it can await and return. Its lines begin with the second. */
export const asFunction = (code: string): string => `${head}${code}${tail}`

/**
 * What did not compile as JavaScript: TypeScript, or a module with its imports, or both. Types give way to blanks, so that lines
 * and columns stay. Throws `problem`, or what says more than it, when it is neither.
 */
export const plainScript = (code: string, problem: SyntaxError): PlainScript => {
  const typed = stripped(asFunction(code))
  if (typeof typed === 'string') return { kind: 'function', code: typed }
  const module = stripped(code)
  if (typeof module === 'string') return { kind: 'module', code: module }
  const hoisted = stripped(importsFirst(code))
  if (typeof hoisted === 'string') return { kind: 'module', code: hoisted }
  const unsupported = [typed, module, hoisted].find(isUnsupported)
  throw unsupported ?? (/import statement|'export'/.test(problem.message) ? module : problem)
}

/** Without its types, or why it is no TypeScript. */
export const stripped = (code: string): string | Error => {
  try {
    return stripTypeScriptTypes(code)
  } catch (error) {
    if (error instanceof SyntaxError) return error
    throw error
  }
}

/** TypeScript that is more than types, such as `enum`. */
const isUnsupported = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'

const importStatement = /^[ \t]*import\b(?:[^'"`;()=]*?\bfrom)?\s*(?:'[^'\n]+'|"[^"\n]+")[ \t]*;?/gm

/**
 * The body of a function with its imports before it, for a script that returns before its end, as no module may. All on the first
 * line, so that lines keep their numbers.
 */
const importsFirst = (code: string): string => {
  const imports = [...code.matchAll(importStatement)].map(([statement]) => onOneLine(statement))
  const body = code.replace(importStatement, (statement) => statement.replace(/[^\n]/g, ''))
  return `${imports.join('')}export default async () => {${body}\n}`
}

const onOneLine = (statement: string): string => `${statement.replace(/;$/, '').replace(/\s+/g, ' ')};`
