import { isBuiltin, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { ChildTask } from '../task.ts'

/** The parts of Node that setup and teardown scripts have. */
const available = new Set([
  ...['assert', 'assert/strict', 'buffer', 'crypto', 'dns', 'dns/promises', 'events', 'http', 'https'],
  ...['path', 'path/posix', 'querystring', 'readline', 'readline/promises', 'stream', 'stream/consumers'],
  ...['stream/promises', 'stream/web', 'string_decoder', 'timers', 'timers/promises', 'tls', 'url', 'util'],
  ...['util/types', 'zlib'],
])

/**
 * What packages of a runtime need besides, most of it only to load: Node's permissions and `guardNetwork` hold whoever calls,
 * so they may have it.
 */
const availableToPackages = new Set([
  ...['async_hooks', 'child_process', 'console', 'constants', 'dgram', 'diagnostics_channel', 'fs'],
  ...['fs/promises', 'http2', 'module', 'net', 'os', 'perf_hooks', 'process', 'punycode', 'tty', 'v8'],
  ...['vm', 'worker_threads'],
])

/** Lets the script load what it may, and says in a sentence why it may not load something else. */
export const limitModules = (task: ChildTask): void => {
  const { phase, snippetFiles } = task
  const { modules } = task.packages
  const inside = modules === null ? null : pathToFileURL(`${modules}/`).href
  registerHooks({
    resolve: (specifier, context, next) => {
      const byPackage = inside !== null && context.parentURL?.startsWith(inside) === true
      if (isBuiltin(specifier)) {
        const name = specifier.replace(/^node:/, '')
        if (available.has(name) || (byPackage && availableToPackages.has(name)))
          return next(specifier, context)
        throw new Error(`The module "${specifier}" is not available to ${phase} scripts`)
      }
      if (byPackage) return next(specifier, context)
      if (/^\.{0,2}\/|^file:/.test(specifier)) {
        const name = specifier.replace(/^\.\/(snippets\/)?/, '').replace(/\.js$/, '')
        const path = Object.hasOwn(snippetFiles, name) ? snippetFiles[name] : undefined
        if (path === undefined) throw new Error(`There is no snippet "${name}"`)
        // require() takes paths, import() takes addresses.
        return next(context.conditions.includes('require') ? path : pathToFileURL(path).href, context)
      }
      const problem = whyNot(specifier, task)
      if (problem !== null) throw new Error(problem)
      try {
        return next(specifier, context)
      } catch (error) {
        throw isMissing(error) ? new Error(`There is no "${specifier}" in ${runtimeOf(task)}`) : error
      }
    },
  })
}

const runtimeOf = ({ runtimeId }: ChildTask): string =>
  runtimeId === null ? 'the runtime of this check' : `the runtime ${runtimeId}`

/** Node's own message tells folders of this machine. */
const isMissing = (error: unknown): boolean =>
  /^(MODULE_NOT_FOUND|ERR_MODULE_NOT_FOUND|ERR_PACKAGE_PATH_NOT_EXPORTED)$/.test(
    String((error as NodeJS.ErrnoException).code),
  )

/** Why a script may not load a package. */
const whyNot = (specifier: string, task: ChildTask): string | null => {
  const { phase, runtimeId, packages } = task
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
  const runtime = runtimeOf(task)
  if (packages.names === null) return `The package "${name}" of ${runtime} is not installed on this agent`
  if (!packages.names.includes(name))
    return `There is no package "${name}" for ${phase} scripts in ${runtime}`
  if (packages.modules === null)
    return `The package "${name}" of ${runtime} is not installed on this agent; "npm run runtime ${runtimeId?.replace('.', '-')}" installs it`
  return null
}
