/**
 * The program of a thread that parses scripts of checks and runs none: a task in, a problem or null out. It says once that
 * it is ready. A thread, because Node's parser of TypeScript stays broken after it met code that is nested too deep.
 */
import { stripTypeScriptTypes } from 'node:module'
import vm from 'node:vm'
import { parentPort } from 'node:worker_threads'

export type ScriptTask = {
  code: string
  /** How agents load it: as the body of a function, or as a file of Playwright's test runner or Node. */
  as: 'function' | 'file'
}
export type ScriptProblem = { line: number | null; message: string }

const asFunction = (code: string): string => `(async () => {\n${code}\n})`

/** What one reading that agents try accepts is none: they take the first that does. */
const problemOf = ({ code, as }: ScriptTask): ScriptProblem | null => {
  const inFunction = javaScriptProblem(code)
  if (inFunction === null) return null
  const inModule = typeScriptProblem(code, as === 'file' ? 'transform' : 'strip', 0)
  if (inModule === null) return null
  // A script of a module with `return` has imports that the agent puts before it: nothing is known of the rest.
  if (as === 'file') return within(code, inModule)
  const typed = typeScriptProblem(asFunction(code), 'strip', 1)
  if (typed === null || (/\bimport\b/.test(code) && /^Return statement/.test(inModule.message))) return null
  return within(code, /'import'|'export'/.test(typed.message) ? inModule : typed)
}

/** V8 compiles it, and nobody runs what comes of it. */
const javaScriptProblem = (code: string): Error | null => {
  try {
    new vm.Script(asFunction(code))
    return null
  } catch (error) {
    if (error instanceof SyntaxError) return error
    throw error
  }
}

const typeScriptProblem = (
  code: string,
  mode: 'strip' | 'transform',
  linesBefore: number,
): ScriptProblem | null => {
  try {
    stripTypeScriptTypes(code, { mode })
    return null
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const line = /^\S*?:(\d+)\n/.exec(String(error.stack))?.[1]
    const [message = ''] = error.message.split('\n')
    return { line: line === undefined ? null : Number(line) - linesBefore, message }
  }
}

/** What is missing at the end is missed after it. */
const within = (code: string, { line, message }: ScriptProblem): ScriptProblem => ({
  line: line === null ? null : Math.min(line, code.trimEnd().split('\n').length),
  message,
})

parentPort?.on('message', (task: ScriptTask) => parentPort?.postMessage(problemOf(task)))
parentPort?.postMessage('ready')
