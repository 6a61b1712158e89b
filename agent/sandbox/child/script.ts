import { createRequire } from 'node:module'
import vm from 'node:vm'
import type { ChildTask } from '../task.ts'

const fileName = (phase: ChildTask['phase']): string => `${phase}.js`

/** The script as an async function, so that it can await; its lines keep their numbers. */
export const prepareScript = ({ phase, code }: ChildTask): (() => Promise<unknown>) => {
  Object.assign(globalThis, { require: createRequire(import.meta.url) })
  try {
    return new vm.Script(`(async () => {\n${code}\n})`, {
      filename: fileName(phase),
      lineOffset: -1,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    }).runInThisContext()
  } catch (error) {
    if (error instanceof SyntaxError && /import statement|'export'/.test(error.message))
      error.message += '; modules are loaded with require()'
    throw error
  }
}

/** Where in the script an error comes from, if its stack says so. */
export const lineOf = (error: unknown, phase: ChildTask['phase']): number | null => {
  const stack = error instanceof Error ? String(error.stack) : ''
  const line = new RegExp(`(?:^|[\\s(])${phase}\\.js:(\\d+)`).exec(stack)?.[1]
  return line === undefined ? null : Number(line)
}
