/** Servers of PostgreSQL that this machine has beside the one of the npm package: as Debian and its kin install them. */
import { existsSync, globSync } from 'node:fs'

/** The oldest version that the store is held to. */
export const oldestPostgres = 15

/** The folder of its programs; null where it is not installed. */
export const binariesOf = (version: number): string | null => {
  const [folder] = globSync(`/usr/{lib/postgresql/${version},pgsql-${version}}/bin`)
  return folder !== undefined && existsSync(`${folder}/initdb`) ? folder : null
}
