import { existsSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { format } from 'node:util'
import type { ScriptError } from '../task.ts'
import type { BrowserEvents } from './browser-events.ts'
import type { Watch } from './watch-context.ts'

const { process } = globalThis

type Run = { entry: string; events: BrowserEvents; watch: Watch }

/** A program that uses Playwright. It has ended when nothing is left to wait for, or it ends itself, or fails. */
export const runLibrary = async ({ entry, events, watch }: Run): Promise<void> => {
  const require = createRequire(entry)
  let ending = false
  let isStopped = false
  const exit = process.exit.bind(process)
  const end = async (errors: ScriptError[]): Promise<void> => {
    if (ending) return
    ending = true
    if (errors.length > 0 || isStopped) await watch.takeEvidence()
    events.ended(errors)
    exit(0)
  }
  const fail = (error: unknown): void => void end([errorOf(error, entry)])
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  process.on('beforeExit', () => end([]))
  // Not one that Playwright knows: it would close its browsers.
  process.on('SIGUSR2', () => {
    isStopped = true
    void end([])
  })
  process.on('exit', (code) => {
    if (!ending) events.ended(code === 0 ? [] : [{ message: `it ended with exit code ${code}`, line: null }])
  })
  giveGlobals(entry, require)
  findFiles()
  try {
    await import(pathToFileURL(entry).href)
  } catch (error) {
    fail(error)
  }
}

/** What scripts take for granted, whichever kind of module they are. */
const giveGlobals = (entry: string, require: NodeJS.Require): void => {
  Object.assign(globalThis, { require, __filename: entry, __dirname: dirname(entry) })
  Object.defineProperty(globalThis, 'expect', {
    configurable: true,
    get: () => require('@playwright/test').expect,
  })
}

/** Files are found as compilers find them: without their endings, and TypeScript by the name of what it becomes. */
const findFiles = (): void => {
  registerHooks({
    resolve: (specifier, context, next) => {
      const { parentURL } = context
      if (!/^\.{1,2}\//.test(specifier) || !parentURL?.startsWith('file:')) return next(specifier, context)
      const path = join(dirname(fileURLToPath(parentURL)), specifier)
      const found = candidates(path).find((candidate) => existsSync(candidate))
      if (found === undefined) return next(specifier, context)
      return next(context.conditions.includes('require') ? found : pathToFileURL(found).href, context)
    },
  })
}

const candidates = (path: string): string[] =>
  /\.\w+$/.test(path) && existsSync(path)
    ? [path]
    : [
        ...['.ts', '.js', '.mjs', '.cjs', '.json'].map((ending) => path + ending),
        path.replace(/\.([mc]?)js$/, '.$1ts'),
        ...['index.ts', 'index.js'].map((name) => join(path, name)),
      ]

const errorOf = (error: unknown, entry: string): ScriptError => {
  const message =
    error instanceof Error
      ? `${error.name === 'Error' ? '' : `${error.name}: `}${error.message}`
      : format(error)
  const stack = error instanceof Error ? String(error.stack) : ''
  const at = stack.indexOf(`${entry}:`)
  const line = at === -1 ? null : Number.parseInt(stack.slice(at + entry.length + 1), 10)
  return { message, line: line === null || Number.isNaN(line) ? null : line }
}
