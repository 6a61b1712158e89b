import type { Source } from './sources.ts'

/** The largest set of files of a folder that import each other in a circle, types included; empty: there is none. */
export function largestCircle(folder: string, sources: Source[]): string[] {
  const ours = sources.filter(({ path }) => path.startsWith(`${folder}/`))
  const importsOf = new Map(ours.map(({ path, imports }) => [path, imports.map(({ target }) => target)]))
  const reached = new Map(ours.map(({ path }) => [path, reachedFrom(path, importsOf)]))
  const circlesOf = ours.map(({ path }) =>
    [...(reached.get(path) ?? [])].filter((other) => reached.get(other)?.has(path)),
  )
  return circlesOf
    .reduce((largest, circle) => (circle.length > largest.length ? circle : largest), [])
    .toSorted()
}

/** Every file that `path` imports, also through others: itself only if it stands in a circle. */
function reachedFrom(path: string, importsOf: ReadonlyMap<string, string[]>): Set<string> {
  const reached = new Set<string>()
  const open = [path]
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const target of importsOf.get(next) ?? [])
      if (importsOf.has(target) && !reached.has(target)) {
        reached.add(target)
        open.push(target)
      }
  return reached
}
