import type { Cipher } from '../../platform/doors/secrets/cipher.ts'
import type { VariablesTable } from '../../platform/store/database/tables/configuration.ts'

type VariableKey = Pick<VariablesTable, 'account_id' | 'key'>

/** A sealed value opens only in its own row. */
export const contextOf = (row: VariableKey): string => `variable ${row.account_id} ${row.key}`

export const sealValue = (cipher: Cipher, row: VariableKey, value: string): string =>
  cipher.encrypt(value, contextOf(row))

export const openValue = (cipher: Cipher, row: VariableKey & { value: string }): string =>
  cipher.decrypt(row.value, contextOf(row))
