/** Prints the program of a kind of children and its launcher as JSON: files and all that they import, without types, beside each other in one folder. */
import { globSync, readFileSync, writeSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { basename } from 'node:path'

const [, , kind] = globalThis.process.argv

const ours = /(from '|import\(')(\.[^']*?([\w-]+)\.ts)'/g

const sources = new Map<string, string>()

const read = (file: URL): void => {
  if (sources.has(file.href)) return
  const code = stripTypeScriptTypes(readFileSync(file, 'utf8'))
  sources.set(file.href, code)
  for (const [, , path = ''] of code.matchAll(ours)) read(new URL(path, file))
}

for (const name of ['enter-isolation.ts', 'try-isolation.ts']) read(new URL(name, import.meta.url))
const folders: Record<string, string> = { browser: '../browser/child/', suite: '../browser/suite/child/' }
const child = new URL(folders[kind ?? ''] ?? '../sandbox/child/', import.meta.url)
for (const name of globSync('*.ts', { cwd: child })) read(new URL(name, child))

const files = [...sources].map(([href, code]) => ({
  name: `${basename(href, '.ts')}.mjs`,
  code: code.replaceAll(ours, "$1./$3.mjs'"),
}))
if (new Set(files.map(({ name }) => name)).size < files.length)
  throw new Error('Two files of the child program have the same name')

writeSync(1, JSON.stringify(files))
