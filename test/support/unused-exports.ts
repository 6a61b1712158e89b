/** What the two programs and their language export though no other file imports it, as `path name`. */
import { posix } from 'node:path'
import type { Source } from './sources.ts'

const named = /^(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?(?:\{([^}]*)\}|\*[^']*)\s*from\s+'(\.[^']+)'/gm
const whole = /\b(?:import|mockImport)\(\s*'(\.[^']+)'/g
const declared =
  /^export\s+(?:async\s+)?(?:const|let|function\*?|class|type|interface|enum)\s+(?:\{([^}]*)\}|(\w+))/gm

const namesIn = (list: string, of: RegExp): string[] =>
  list.split(',').flatMap((item) => item.trim().match(of)?.[1] ?? [])

/** By path: the names that others import from it; '*' for a file that is imported as a whole. */
function importedNames(sources: Source[]): Map<string, Set<string>> {
  const imported = new Map<string, Set<string>>()
  for (const { path, code } of sources) {
    const add = (specifier: string, names: string[]) => {
      const target = posix.join(posix.dirname(path), specifier)
      imported.set(target, new Set([...(imported.get(target) ?? []), ...names]))
    }
    for (const [, list, specifier = ''] of code.matchAll(named))
      add(specifier, list === undefined ? ['*'] : namesIn(list, /^(?:type\s+)?(\w+)/))
    for (const [, specifier = ''] of code.matchAll(whole)) add(specifier, ['*'])
  }
  return imported
}

export function unusedExports(sources: Source[]): string[] {
  const imported = importedNames(sources)
  return sources
    .filter(({ path }) => /^(agent|control-plane|protocol)\//.test(path))
    .flatMap(({ path, code }) => {
      const used = imported.get(path) ?? new Set()
      if (used.has('*')) return []
      const names = [...code.matchAll(declared)].flatMap(([, list, name]) =>
        list === undefined ? (name ?? []) : namesIn(list, /(\w+)$/),
      )
      return [...new Set(names)].filter((name) => !used.has(name)).map((name) => `${path} ${name}`)
    })
}
