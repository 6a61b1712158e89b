import { readFileSync } from 'node:fs'
import t from 'tap'
import { readSources, type Source } from './support/sources.ts'

const maxFiles = 12

const listed = (text: string): string[] => {
  const [, section = ''] = /^## The path of one run[^\n]*\n(.*?)^## /ms.exec(text) ?? []
  return [...section.matchAll(/^\d+\. `([^`]+)`: \S/gm)].map(([, path = '']) => path)
}

const sources = new Map(readSources().map((source) => [source.path, source]))
const importsOf = (path: string): Set<string> =>
  new Set(sources.get(path)?.imports.flatMap(({ target, isPackage }) => (isPackage ? [] : [target])))
const programOf = (path: string): string | undefined => path.split('/')[0]

/** The types of the wire that a file names. */
const wireNames = ({ code }: Source): string[] =>
  [
    ...code.matchAll(/^import (?:type )?\{([^}]*)\} from '[./]+\/protocol\/(?:agent-api|result)\.ts'/gm),
  ].flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter(Boolean),
  )

const registry = 'agent/checks/index.ts'
const consequences = 'control-plane/consequences.ts'
const whatHappens = 'control-plane/monitoring/outcomes/consequences.ts'

/**
 * How a run gets from one file to another: a program by an import, by the registry of check types or by the list of
 * consequences; from one program to the other by what both of them say over the wire.
 */
const isConnected = (from: string, to: string): boolean => {
  const [before, after] = [sources.get(from), sources.get(to)]
  if (before === undefined || after === undefined) return false
  if (programOf(from) !== programOf(to)) {
    const names = new Set(wireNames(before))
    return wireNames(after).some((name) => names.has(name))
  }
  if (importsOf(from).has(to) || importsOf(to).has(from)) return true
  if (importsOf(from).has(registry)) return importsOf(registry).has(to)
  return to === consequences && importsOf(from).has(whatHappens)
}

/** Those that no file before them leads to, within the stretch of the path that one program goes without the other. */
const leftAlone = (path: readonly string[]): string[] =>
  path.filter((file, position) => {
    if (position === 0) return !sources.has(file)
    const before = path.slice(0, position)
    const border = before.findLastIndex((one) => programOf(one) !== programOf(file))
    const stretch = before.slice(border + 1)
    // The first file on this side of the wire is reached from the other side.
    const candidates = stretch.length > 0 ? stretch : before
    return !candidates.some((one) => isConnected(one, file))
  })

t.test('the path of a run is short, and each file of it leads to the next', async (t) => {
  const path = listed(readFileSync(new URL('../CONTRIBUTING.md', import.meta.url), 'utf8'))
  t.comment(`the path of a run: ${path.length} files\n${path.join('\n')}`)
  t.ok(path.length > 0 && path.length <= maxFiles, `${path.length} files`)
  t.strictSame(new Set(path).size, path.length, 'each once')
  t.strictSame(leftAlone(path), [])
  t.equal(path.at(-1), consequences)
  // What the list would be if somebody moved, left out or mistook a file.
  for (const [position, file] of path.entries()) {
    const wrong = path.toSpliced(position, 1, file.replace(/[^/]+$/, 'gone.ts'))
    t.not(leftAlone(wrong).length, 0, `without ${file}`)
  }
  t.strictSame(leftAlone(path.toSpliced(-1, 0, 'control-plane/insight/prometheus/routes.ts')), [
    'control-plane/insight/prometheus/routes.ts',
  ])
  t.not(leftAlone(path.filter((one) => one !== 'agent/jobs/claims.ts')).length, 0)
})
