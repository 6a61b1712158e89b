/** Where the sources say a text, as far as it can be told from its longest run of words. */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

let sources: ReadonlyArray<readonly [file: string, text: string]> | null = null
const all = () => {
  sources ??= globSync('{control-plane,protocol}/**/*.{ts,js}', { cwd: root })
    .filter((file) => !/translations|stored-pages\/words/.test(file))
    .map((file) => [file, readFileSync(`${root}${file}`, 'utf8')] as const)
  return sources
}

export const filesThatSay = (text: string): string[] => {
  const runs = text
    .replace(/⟦[^⟧]*⟧/g, '\n')
    .split(/[\n\d"“”:()·,]+/)
    .map((run) => run.trim())
    .toSorted((a, b) => b.length - a.length)
  const [longest = ''] = runs
  const found = all().filter(([, source]) => source.includes(longest))
  const inPages = found.filter(([file]) => file.startsWith('control-plane/pages/'))
  return (inPages.length > 0 ? inPages : found).map(([file]) => file).slice(0, 3)
}
