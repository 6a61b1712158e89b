/**
 * The rooms of the house and the arrows between them, counted on the import statements, types included.
 * A room is a folder right below its area; a file that lies beside the folders is a room of its own.
 */
import { readSources, type Source } from './sources.ts'

/** `order` is from the top down: a room may import what stands below it. */
export type Area = { folder: string; order: readonly string[] }

export type Arrow = { from: string; to: string; imports: string[] }

export const roomOf = ({ folder }: Area, path: string): string | null =>
  path.startsWith(`${folder}/`) ? (path.slice(folder.length + 1).split('/')[0] ?? null) : null

export const roomsOf = (area: Area, sources: Source[]): string[] =>
  [...new Set(sources.flatMap(({ path }) => roomOf(area, path) ?? []))].toSorted()

/** One arrow for each pair of rooms of which one imports the other. */
export function arrowsOf(area: Area, sources: Source[]): Arrow[] {
  const arrows = new Map<string, Arrow>()
  for (const { path, imports } of sources) {
    const from = roomOf(area, path)
    if (from === null) continue
    for (const { target, isPackage } of imports) {
      const to = isPackage ? null : roomOf(area, target)
      if (to === null || to === from) continue
      const key = `${from} ${to}`
      const arrow = arrows.get(key) ?? { from, to, imports: [] }
      arrow.imports.push(`${path} imports ${target}`)
      arrows.set(key, arrow)
    }
  }
  return [...arrows.values()]
}

/** Arrows to a room that is not below. */
export const upwardOf = (area: Area, arrows: Arrow[]): Arrow[] =>
  arrows.filter(({ from, to }) => area.order.indexOf(from) >= area.order.indexOf(to))

if (import.meta.main) {
  const [folder = '', ...order] = process.argv.slice(2)
  const sources = readSources()
  const area = { folder, order }
  const arrows = arrowsOf(area, sources)
  const print = (text: string) => process.stdout.write(`${text}\n`)
  print(`${folder}: ${roomsOf(area, sources).length} rooms, ${arrows.length} arrows`)
  const mutual = arrows.filter(({ from, to }) => arrows.some((back) => back.from === to && back.to === from))
  for (const { from, to, imports } of mutual) print(`both ways: ${from} → ${to}\n  ${imports.join('\n  ')}`)
  if (order.length > 0)
    for (const { from, to, imports } of upwardOf(area, arrows))
      print(`upward: ${from} → ${to}\n  ${imports.join('\n  ')}`)
}
