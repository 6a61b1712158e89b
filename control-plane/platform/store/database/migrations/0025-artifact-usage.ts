/** What the files of an account and of a location take together, kept beside them so that no announcement reads them all. */
import { integer, primaryKey, table, text } from '../ddl.ts'

const sumOf = (owner: string, column: string): string =>
  `insert into artifact_usage (owner, bytes)
   select '${owner} ' || ${column}, cast(sum(size) as bigint) from artifacts where refused is null group by ${column}`

export const artifactUsage: string[] = [
  table('artifact_usage', { owner: text, bytes: integer }, primaryKey('owner')),
  sumOf('account', 'account_id'),
  sumOf('location', 'location'),
]
