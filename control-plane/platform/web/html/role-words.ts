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

/** In the reader's language; a row of a table has its role as a text. */
export const sayRole = (role: string): Content => {
  const known = roles.find((each) => each === role)
  return known === undefined ? role : say(roleWords[known])
}
