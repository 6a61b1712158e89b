import { createRequire } from 'node:module'
import vm from 'node:vm'
import type { ChildTask } from '../task.ts'
import { asFunction, plainScript } from './plain-script.ts'
import { importScript } from './script-module.ts'

type Phase = ChildTask['phase']

const fileName = (phase: Phase): string => `${phase}.js`

/** Beside this program, so that packages are found from there; no such file exists. */
const moduleUrl = (phase: Phase): string => new URL(fileName(phase), import.meta.url).href

/** The script as an async function, so that it can await; its lines keep their numbers. */
export const prepareScript = ({ phase, code }: ChildTask): (() => Promise<unknown>) => {
  Object.assign(globalThis, { require: createRequire(import.meta.url) })
  try {
    return compiled(asFunction(code), phase)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const plain = plainScript(code, error)
    return plain.kind === 'function' ? compiled(plain.code, phase) : () => runModule(plain.code, phase)
  }
}

const compiled = (code: string, phase: Phase): (() => Promise<unknown>) =>
  new vm.Script(code, {
    filename: fileName(phase),
    lineOffset: -1,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }).runInThisContext()

const runModule = async (code: string, phase: Phase): Promise<void> => {
  try {
    const { default: main } = await importScript(code, moduleUrl(phase))
    if (typeof main === 'function') await main()
  } catch (error) {
    if (error instanceof SyntaxError && /does not provide an export named/.test(error.message))
      error.message += '; types are imported with "import type"'
    throw error
  }
}

/** Where in the script an error comes from, if its stack says so. */
export const lineOf = (error: unknown, phase: Phase): number | null => {
  const stack =
    error instanceof Error ? String(error.stack).replaceAll(moduleUrl(phase), fileName(phase)) : ''
  const line = new RegExp(`(?:^|[\\s(])${phase}\\.js:(\\d+)`).exec(stack)?.[1]
  return line === undefined ? null : Number(line)
}
