import { Type } from 'typebox'
import type { Cipher } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import { storedList } from '../../platform/store/database/stored-doc.ts'
import type { VariablesTable } from '../../platform/store/database/tables/configuration.ts'

type VariableKey = Pick<VariablesTable, 'account_id' | 'key'>

/** A sealed value opens only in its own row. */
export const contextOf = (row: VariableKey): string => `variable ${row.account_id} ${row.key}`

export const sealValue = (cipher: Cipher, row: VariableKey, value: string): string =>
  cipher.encrypt(value, contextOf(row))

export const openValue = (cipher: Cipher, row: VariableKey & { value: string }): string =>
  cipher.decrypt(row.value, contextOf(row))

const variablesOfAccounts = query(
  'variables-of-accounts',
  (k, p: { accountIds: readonly string[] }, engine) =>
    k
      .selectFrom('variables')
      .select(['account_id', 'key', 'value', 'secret', 'locked'])
      .where('account_id', 'in', engine.textList(p.accountIds))
      .orderBy('key'),
)

/** By account, each in the order of the keys. A locked value is as hidden as a secret one: nobody may read it in a result either. */
export const readVariables = async (
  db: Db,
  cipher: Cipher,
  accountIds: readonly string[],
): Promise<Map<string, ClearVariable[]>> => {
  const variables = new Map<string, ClearVariable[]>(accountIds.map((id) => [id, []]))
  const rows = accountIds.length === 0 ? [] : await db.all(variablesOfAccounts, { accountIds })
  for (const row of rows)
    variables
      .get(row.account_id)
      ?.push({ key: row.key, value: openValue(cipher, row), isHidden: row.secret || row.locked })
  return variables
}

/** A variable in clear; `isHidden`: nobody may be shown its value. */
export type ClearVariable = { key: string; value: string; isHidden: boolean }

const ofSession = storedList({
  name: 'variables of a session',
  items: Type.Object({ key: Type.String(), value: Type.String(), isHidden: Type.Boolean() }),
})

export const contextOfSession = (sessionId: string): string => `session ${sessionId}`

/** Variables that a session gives its runs, sealed in its row: whoever asked for it may have sent a password. */
export const sealSessionVariables = (
  cipher: Cipher,
  { id, variables }: { id: string; variables: readonly ClearVariable[] },
): string | null =>
  variables.length === 0 ? null : cipher.encrypt(ofSession.write([...variables]), contextOfSession(id))

export const openSessionVariables = (
  cipher: Cipher,
  { id, variables }: { id: string; variables: string | null },
): readonly ClearVariable[] =>
  variables === null ? [] : ofSession.read(cipher.decrypt(variables, contextOfSession(id)))
