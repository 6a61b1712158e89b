/** What people of a role may do, as every page says it. Pure. */
import { type Role, roles } from '../../words/shapes/roles.ts'
import type { Content } from './html.ts'
import { say } from './say.ts'

export const roleWords: { readonly [role in Role]: string } = {
  READ_ONLY: 'May look',
  READ_RUN: 'May look and run',
  READ_WRITE: 'May change',
  ADMIN: 'Admin',
  OWNER: 'Owner',
}

const knownRole = (role: string): Role | undefined => roles.find((each) => each === role)

/** A row of a table has its role as a text. */
export const wordOfRole = (role: string): string => {
  const known = knownRole(role)
  return known === undefined ? role : roleWords[known]
}

/** In the reader's language. */
export const sayRole = (role: string): Content =>
  knownRole(role) === undefined ? role : say(wordOfRole(role))
