import { isBuiltin, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { ChildTask } from '../task.ts'

/** The parts of Node that setup and teardown scripts have (agent-facts 7). */
const available = new Set([
  ...['assert', 'assert/strict', 'buffer', 'crypto', 'dns', 'dns/promises', 'events', 'http', 'https'],
  ...['path', 'path/posix', 'querystring', 'readline', 'readline/promises', 'stream', 'stream/consumers'],
  ...['stream/promises', 'stream/web', 'string_decoder', 'timers', 'timers/promises', 'tls', 'url', 'util'],
  ...['util/types', 'zlib'],
])

/** Lets the script load what it may, and says in a sentence why it may not load something else. */
export const limitModules = ({ phase, runtimeId, snippetFiles }: ChildTask): void => {
  registerHooks({
    resolve: (specifier, context, next) => {
      if (isBuiltin(specifier)) {
        if (available.has(specifier.replace(/^node:/, ''))) return next(specifier, context)
        throw new Error(`The module "${specifier}" is not available to ${phase} scripts`)
      }
      if (/^\.{0,2}\/|^file:/.test(specifier)) {
        const name = specifier.replace(/^\.\/(snippets\/)?/, '').replace(/\.js$/, '')
        const path = Object.hasOwn(snippetFiles, name) ? snippetFiles[name] : undefined
        if (path === undefined) throw new Error(`There is no snippet "${name}"`)
        // require() takes paths, import() takes addresses.
        return next(context.conditions.includes('require') ? path : pathToFileURL(path).href, context)
      }
      const runtime = runtimeId === null ? 'the runtime of this check' : `the runtime ${runtimeId}`
      throw new Error(`The package "${packageOf(specifier)}" of ${runtime} is not installed on this agent`)
    },
  })
}

const packageOf = (specifier: string): string =>
  specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
