/**
 * Our own sources in an image have no types any more (`strip-types.ts`): they are loaded as they are. Node would look for types in
 * each of them, with a parser that takes 20 MB for as long as the program runs. Without this file they run as well.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const own = new URL('../', import.meta.url).href

const isOwn = (url) => url.startsWith(own) && url.endsWith('.ts') && !url.includes('/node_modules/')

registerHooks({
  load: (url, context, load) =>
    isOwn(url)
      ? { format: 'module', source: readFileSync(fileURLToPath(url), 'utf8'), shortCircuit: true }
      : load(url, context),
})
