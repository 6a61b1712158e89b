import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import vm from 'node:vm'
import { stripped } from './plain-script.ts'

/** Snippets that scripts load may be written in TypeScript, too. What is none is for Node to load, or to say what is wrong with it. */
export const plainSnippets = (files: Record<string, string>): void => {
  const paths = new Map(Object.values(files).map((path) => [pathToFileURL(path).href, path]))
  if (paths.size === 0) return
  registerHooks({
    load: (address, context, next) => {
      const path = paths.get(address)
      const code = path === undefined ? null : withoutTypes(readFileSync(path, 'utf8'))
      if (code === null) return next(address, context)
      return { format: isScript(code) ? 'commonjs' : 'module', source: code, shortCircuit: true }
    },
  })
}

/** null: there are none, or it is no TypeScript. */
const withoutTypes = (code: string): string | null => {
  if (isScript(code)) return null
  const plain = stripped(code)
  return typeof plain === 'string' && plain !== code ? plain : null
}

const isScript = (code: string): boolean => {
  try {
    new vm.Script(`(() => {\n${code}\n})`)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}
