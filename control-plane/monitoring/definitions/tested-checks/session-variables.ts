/** Variables that a session gives its runs, sealed in its row: whoever asked for it may have sent a password. */
import { Type } from 'typebox'
import type { ClearVariable } from '../../../access/variables/sealed-value.ts'
import type { Cipher } from '../../../platform/services/secrets/cipher.ts'
import { storedList } from '../../../platform/store/database/stored-doc.ts'

const given = storedList({
  name: 'variables of a session',
  items: Type.Object({ key: Type.String(), value: Type.String(), isHidden: Type.Boolean() }),
})

export const contextOf = (sessionId: string): string => `session ${sessionId}`

export const sealSessionVariables = (
  cipher: Cipher,
  { id, variables }: { id: string; variables: readonly ClearVariable[] },
): string | null =>
  variables.length === 0 ? null : cipher.encrypt(given.write([...variables]), contextOf(id))

export const openSessionVariables = (
  cipher: Cipher,
  { id, variables }: { id: string; variables: string | null },
): readonly ClearVariable[] =>
  variables === null ? [] : given.read(cipher.decrypt(variables, contextOf(id)))
