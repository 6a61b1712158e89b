/** Reading what a command was given. */

import { findAccount } from '../access/accounts/queries.ts'
import type { Db } from '../platform/store/database/db.ts'
import type { AccountsTable } from '../platform/store/database/tables/runs.ts'
import { type Arguments, RefusedError, UsageError } from './command.ts'

export const givenRoles = ['ADMIN', 'READ_WRITE', 'READ_RUN', 'READ_ONLY'] as const

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const email = /^[^\s@]+@[^\s@]+$/
const maxNameLength = 255
const maxEmailLength = 254

export const accountOption = { value: '<id>', required: true, meaning: 'the account' } as const

/** A required option, or a positional by its place: both are there once the arguments have been read. */
export const required = (args: Arguments, name: string | number): string => {
  const value = typeof name === 'number' ? args.positionals[name] : args.values[name]
  if (value === undefined) throw new UsageError([`--${name} is missing`])
  return value
}

/** @throws UsageError */
export const requireUuid = (text: string, what: string): string => {
  if (!uuid.test(text)) throw new UsageError([`${what} must be an id (a UUID), not "${text}"`])
  return text.toLowerCase()
}

/** @throws UsageError */
export const requireName = (text: string, what: string): string => {
  if (text.trim() === '' || text.length > maxNameLength)
    throw new UsageError([`${what} must have 1 to ${maxNameLength} characters`])
  return text
}

/** In lower case, as e-mails are kept. @throws UsageError */
export const requireEmail = (text: string): string => {
  if (!email.test(text) || text.length > maxEmailLength)
    throw new UsageError([`--email must be an e-mail address, not "${text}"`])
  return text.toLowerCase()
}

/** @throws UsageError, RefusedError */
export const requireAccount = async (db: Db, args: Arguments): Promise<AccountsTable> => {
  const id = requireUuid(required(args, 'account'), '--account')
  const account = await db.get(findAccount, { id })
  if (!account) throw new RefusedError(`there is no account ${id}: see "account list"`)
  return account
}
