import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type NodePackage = { name: string; version: string; integrity: string }

const provisionFile = fileURLToPath(new URL('../../provision.mjs', import.meta.url))

const writeAt = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** A program that says it is the pinned Node, and is the one that runs this. */
const pinnedNode = (version: string): string =>
  `#!/bin/sh\n[ "$1" = --version ] && echo v${version} && exit\nexec '${process.execPath}' "$@"\n`

/** A clone with one package and a program that prints `ran`, where `npx watchpost` can be tried. */
export const writeClone = (folder: string, node: NodePackage): void => {
  const lock = (packages: object) => JSON.stringify({ lockfileVersion: 3, requires: true, packages })
  const packages = { 'node_modules/one': { version: '1.0.0', integrity: 'sha512-one' } }
  cpSync(provisionFile, join(folder, 'provision.mjs'))
  const progress = 'start/runtime-progress.mjs'
  cpSync(join(dirname(provisionFile), progress), join(folder, progress))
  writeAt(join(folder, 'package.json'), '{"type":"module"}')
  writeAt(join(folder, 'control-plane/admin.ts'), "process.stdout.write('ran')")
  writeAt(join(folder, 'package-lock.json'), lock({ '': { dependencies: { one: '1.0.0' } }, ...packages }))
  writeAt(join(folder, 'node_modules/.package-lock.json'), lock(packages))
  const { name, version, integrity } = node
  const program = join(folder, '.node/node_modules', name, 'bin/node')
  writeAt(program, pinnedNode(version))
  chmodSync(program, 0o755)
  const installed = { [`node_modules/${name}`]: { version, integrity } }
  writeAt(join(folder, '.node/node_modules/.package-lock.json'), lock(installed))
}

/** What is in a folder, and when each was last changed. */
export const contentsOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => `${path} ${statSync(join(folder, path)).mtimeMs}`)
    .toSorted()

/** A registry's package that carries that Node, as a file, and its hash. */
export const packNode = (folder: string, { name, version }: NodePackage) => {
  const program = join(folder, 'package/bin/node')
  writeAt(program, pinnedNode(version))
  chmodSync(program, 0o755)
  writeAt(join(folder, 'package/package.json'), JSON.stringify({ name, version, bin: { node: 'bin/node' } }))
  const file = join(folder, 'node.tgz')
  if (spawnSync('tar', ['-czf', file, '-C', folder, 'package']).status !== 0) throw new Error('tar failed')
  const bytes = readFileSync(file)
  return { bytes, integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}` }
}
