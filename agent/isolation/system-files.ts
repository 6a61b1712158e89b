import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { PathRule } from './landlock.ts'

/** Folders whose libraries belong to one of our packages: not the system's. */
const ourPackages = /\/node_modules\//

/**
 * What Node itself needs of the machine: its program and loader to run, the libraries that this process has mapped to read.
 * Asking the process instead of a list of folders also fits systems that keep them elsewhere.
 */
export const systemFiles = (execPath: string): readonly PathRule[] => {
  const mapped = mappedFiles(readFileSync('/proc/self/maps', 'utf8')).filter(
    (path) => !ourPackages.test(path),
  )
  const libraries = mapped.filter((path) => /\.so(\.|$)/.test(path))
  const loaders = libraries.filter((path) => /\/ld-[^/]+$/.test(path))
  return [
    ...[realpathSync(execPath), ...loaders].map((path) => ({ path, file: true, may: 'run' }) as const),
    ...[...new Set(libraries.map(dirname))].map((path) => ({ path, file: false, may: 'read' }) as const),
    ...present('/etc/ld.so.cache', '/dev/urandom').map(
      (path) => ({ path, file: true, may: 'read' }) as const,
    ),
    ...present('/dev/null').map((path) => ({ path, file: true, may: 'use' }) as const),
  ]
}

/** proc_pid_maps(5): the sixth field is the file, if there is one. */
export const mappedFiles = (maps: string): readonly string[] => [
  ...new Set(
    maps.split('\n').flatMap((line) => {
      const path = /^(?:\S+\s+){5}(\/.*)$/.exec(line)?.[1]
      return path === undefined || path.endsWith(' (deleted)') ? [] : [path]
    }),
  ),
]

const present = (...paths: string[]): string[] => paths.filter(existsSync)

/** A path that a child may read, whatever it is. */
export const readableRule = (path: string): PathRule => ({
  path,
  file: !statSync(path).isDirectory(),
  may: 'read',
})
