/**
 * The `watchpost` command (checks as code) as a package of npm. Node takes types out of no file below `node_modules`, so they are
 * taken out here; what the command does not load is not in it.
 */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join, posix } from 'node:path'
import { billOf, type InstalledPackage, reachedFrom } from '../images/bill-of-materials.ts'
import type { Source } from './source-of-release.ts'
import { type ArchiveFile, writeArchive } from './write-archive.ts'

const program = 'command/main.ts'
const importLine = /^((?:import|export)\s+(?:[^'"`;()]*?\sfrom\s+)?')([^']+)'/gm

const readPlain = (root: string, path: string): string =>
  stripTypeScriptTypes(readFileSync(join(root, path), 'utf8'))

const importsOf = (code: string): string[] => [...code.matchAll(importLine)].map(([, , name = '']) => name)

/** Files that the program loads, by their paths in the clone, with their code. */
const loadedBy = (root: string, path: string, found = new Map<string, string>()): Map<string, string> => {
  if (found.has(path)) return found
  const code = readPlain(root, path)
  found.set(path, code)
  for (const name of importsOf(code))
    if (name.startsWith('.')) loadedBy(root, posix.join(posix.dirname(path), name), found)
  return found
}

const asJavaScript = (path: string): string => path.replace(/\.ts$/, '.js')

const packagesOf = (codes: Iterable<string>): string[] => {
  const named = [...codes]
    .flatMap(importsOf)
    .filter((name) => !name.startsWith('.') && !name.startsWith('node:'))
  return [...new Set(named.map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')))].toSorted()
}

export type CommandPackage = { bytes: Buffer; bill: object }

export const packageCommand = ({ root, version, commit, seconds }: Source): CommandPackage => {
  const read = (path: string): Buffer => readFileSync(join(root, path))
  const [own, lock] = [
    JSON.parse(String(read('package.json'))),
    JSON.parse(String(read('package-lock.json'))),
  ]
  const loaded = loadedBy(root, program)
  const names = packagesOf(loaded.values())
  const installed = Object.entries(lock.packages as Record<string, Omit<InstalledPackage, 'path' | 'name'>>)
    .filter(([path]) => path.includes('node_modules/'))
    .map(([path, one]) => ({ ...one, path, name: path.slice(path.lastIndexOf('node_modules/') + 13) }))
  const needed = reachedFrom(names, installed)
  const manifest = {
    name: 'watchpost',
    version,
    description:
      'Checks as code for Watchpost: plan, apply, export, import and run, against any control plane',
    license: own.license,
    type: 'module',
    bin: { watchpost: asJavaScript(program) },
    engines: { node: '>=24' },
    dependencies: Object.fromEntries(
      names.map((name) => [name, lock.packages[`node_modules/${name}`].version as string]),
    ),
    gitHead: commit,
  }
  const files: ArchiveFile[] = [
    { path: 'package.json', bytes: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) },
    { path: 'LICENSE', bytes: read('LICENSE') },
    { path: 'README.md', bytes: read('docs/checks-as-code.md') },
    ...[...loaded].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([path, code]) => sourceFile(path, code)),
  ]
  const parts = { kind: 'application' as const, image: 'command', version, nodeVersion: null }
  return {
    bytes: writeArchive(
      files.map((file) => ({ ...file, path: `package/${file.path}` })),
      seconds,
    ),
    bill: billOf({ ...parts, installed: needed, debian: [], below: null }),
  }
}

const sourceFile = (path: string, code: string): ArchiveFile => {
  const plain = code.replaceAll(importLine, (_, before, name) =>
    name.startsWith('.') ? `${before}${asJavaScript(name)}'` : `${before}${name}'`,
  )
  return path === program
    ? { path: asJavaScript(path), bytes: Buffer.from(`#!/usr/bin/env node\n${plain}`), isProgram: true }
    : { path: asJavaScript(path), bytes: Buffer.from(plain) }
}
