/**
 * How a resource lists the names that the bodies of its writes may have without meaning anything: those that only answers
 * have, so that what was read can be sent back, and those that older clients of such services send. They are ignored whatever
 * they hold, unless the list says when. A name that a resource knows is never ignored where it knows it: one that counts for
 * one kind of it is ignored on others. All other names are refused (docs/decisions/interface.md).
 */
import type { IgnoredName } from './drop-ignored.ts'

export const always = (...paths: string[]): IgnoredName[] => paths.map((path) => ({ path }))
export const whereEmpty = (...paths: string[]): IgnoredName[] =>
  paths.map((path) => ({ path, only: 'empty' }))

const ofRecords = ['id', 'created_at', 'updated_at', 'createdAt', 'updatedAt']

/** Of every resource. */
export const recordNames = always(...ofRecords)

/** Of the items of a list. */
export const recordNamesIn = (list: string): IgnoredName[] =>
  always(...ofRecords.map((name) => `${list}[].${name}`))

/** Of a field that only has another name than it had, or than clients of other services know: the name that counts. */
export const presentName = ({ description = '' }: { description?: string }): string | undefined =>
  /^(?:Older|Another) name of `(\w+)`/.exec(description)?.[1]
