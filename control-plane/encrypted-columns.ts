/**
 * Every place of the store that holds sealed values (cipher.ts), so that a rotation of the encryption key finds all of
 * them: whoever seals something new adds a line here.
 */
import { contextOf as certificateContext } from './client-certificates/sealed-key.ts'
import type { ColumnPlace } from './database/sealed-columns.ts'
import { contextOf as proxyContext } from './private-locations/proxy-url.ts'
import { contextOf as variableContext } from './variables/sealed-value.ts'

export type EncryptedColumn = ColumnPlace & {
  /** What the value was sealed with, from the values of the row's key. */
  context: (key: Record<string, string | number>) => string
  /**
   * For a column of JSON: the dotted path of the sealed text in it, `*` for every item of an array or object. Without
   * it the whole column is one sealed value.
   */
  path?: string
}

export const encryptedColumns: readonly EncryptedColumn[] = [
  {
    table: 'variables',
    key: ['account_id', 'key'],
    column: 'value',
    context: ({ account_id, key }) => variableContext({ account_id: String(account_id), key: String(key) }),
  },
  {
    table: 'client_certificates',
    key: ['id'],
    column: 'sealed_key',
    context: ({ id }) => certificateContext(String(id)),
  },
  {
    table: 'private_locations',
    key: ['id'],
    column: 'doc',
    path: 'sealedProxyUrl',
    context: ({ id }) => proxyContext(String(id)),
  },
]
