import { readFileSync } from 'node:fs'

const readme = new URL('../../runtimes/README.md', import.meta.url)

/** The packages that the API lists for a runtime and that cannot be installed: those of its table in runtimes/README.md. */
export const leftOutOf = (id: string): string[] => {
  const [, section = ''] = readFileSync(readme, 'utf8').split(`### ${id}\n`)
  const own = section.split(/^##/m)[0] ?? ''
  return [...own.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name ?? '')
}
