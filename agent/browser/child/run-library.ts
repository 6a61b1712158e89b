import { existsSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { format } from 'node:util'
import type { ScriptError } from '../task.ts'
import type { BrowserEvents } from './browser-events.ts'
import type { Watch } from './watch-context.ts'
import type { Calls } from './watch-steps.ts'

const { process } = globalThis

type Run = { project: string; entry: string; events: BrowserEvents; watch: Watch; calls: Calls }

/** `process.exit` has been called: nothing of the program may run after it. */
class Left extends Error {}

/** A program that uses Playwright. It has ended when nothing is left to wait for, or it ends itself, or fails. */
export const runLibrary = async ({ project, entry, events, watch, calls }: Run): Promise<void> => {
  const require = createRequire(entry)
  const errorAt = (message: string, stack: string): ScriptError => ({
    message,
    ...placeIn(stack, { project, entry }),
  })
  let ending = false
  let isStopped = false
  const exit = process.exit.bind(process)
  const end = async (errors: ScriptError[]): Promise<void> => {
    if (ending) return
    ending = true
    if (errors.length > 0 || isStopped) await watch.takeEvidence()
    watch.flush()
    events.ended(errors)
    exit(0)
  }
  const fail = (error: unknown): void => {
    if (!(error instanceof Left)) void end([errorAt(messageOf(error), stackOf(error))])
  }
  const left = (code: unknown, stack: string): ScriptError => {
    const { lastFailed } = calls
    const why = lastFailed === null ? '' : ` after ${messageOf(lastFailed)}`
    return errorAt(`it ended with exit code ${code}${why}`, lastFailed === null ? stack : stackOf(lastFailed))
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  process.on('beforeExit', () => end(process.exitCode ? [left(process.exitCode, '')] : []))
  // Many programs catch their own error, say it, and leave: what their pages look like is evidence, too.
  process.exit = (code = process.exitCode) => {
    if (ending || Number(code ?? 0) === 0) return exit(code)
    const leaving = new Left()
    void end([left(code, String(leaving.stack))])
    throw leaving
  }
  // Not one that Playwright knows: it would close its browsers.
  process.on('SIGUSR2', () => {
    isStopped = true
    const call = calls.underWay()
    void end(call === null ? [] : [errorAt(`${call.title} was under way`, call.stack)])
  })
  process.on('exit', (code) => {
    if (!events.hasEnded() && !ending) events.ended(code === 0 ? [] : [left(code, '')])
  })
  giveGlobals(entry, require)
  findFiles()
  try {
    await import(pathToFileURL(entry).href)
  } catch (error) {
    if (!isOfRunner(error)) return fail(error)
    // It has come to its first test: the runner is to load it.
    events.declaresTests()
    exit(0)
  }
}

const isOfRunner = (error: unknown): boolean =>
  error instanceof Error &&
  /^Playwright Test did not expect test\S*\(\) to be called here/.test(error.message)

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

const messageOf = (error: unknown): string =>
  error instanceof Error
    ? `${error.name === 'Error' ? '' : `${error.name}: `}${error.message}`
    : format(error)

const stackOf = (error: unknown): string => (error instanceof Error ? String(error.stack) : '')

/** The first line of the script's own files that a stack names: of a file beside it as well. */
const placeIn = (
  stack: string,
  { project, entry }: Pick<Run, 'project' | 'entry'>,
): Pick<ScriptError, 'line' | 'path'> => {
  for (const line of stack.split('\n')) {
    const at = line.indexOf(`${project}/`)
    const [, file = '', number] = /^(.+?):(\d+)/.exec(at === -1 ? '' : line.slice(at)) ?? []
    if (number !== undefined && !file.includes('/node_modules/'))
      return { line: Number(number), path: file === entry ? null : relative(project, file) }
  }
  return { line: null, path: null }
}
