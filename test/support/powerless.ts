import { spawnSync } from 'node:child_process'

const isRoot = process.getuid?.() === 0

/**
 * What to put before a command so that it runs as somebody to whom the owners and modes of files apply: root without
 * its powers is a user like any other, and still reaches the clone, wherever that is.
 */
export const powerless: readonly string[] = isRoot
  ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all']
  : []

/** For a test's `skip`: why nothing can be run like that here. */
export const cannotBePowerless = (): string | false =>
  isRoot && spawnSync('setpriv', ['--version']).status !== 0 && 'setpriv is not installed'
