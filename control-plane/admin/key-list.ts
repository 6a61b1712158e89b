import { keysOfAccount } from '../access/api-keys/queries.ts'
import { toIso, toIsoOrNull } from '../platform/words/shapes/instants.ts'
import type { Command } from './command.ts'
import { accountOption, requireAccount } from './given.ts'

export const keyList: Command = {
  name: 'key list',
  summary: 'the API keys of an account that work',
  positionals: [],
  options: { account: accountOption },
  run: async (context, args) => {
    const { db } = await context.open()
    const account = await requireAccount(db, args)
    const keys = (await db.all(keysOfAccount, { accountId: account.id })).map((row) => ({
      id: row.id,
      kind: row.kind,
      userId: row.user_id,
      role: row.role,
      name: row.name,
      maskedKey: row.masked,
      createdAt: toIso(row.created_at),
      lastUsedAt: toIsoOrNull(row.last_used_at),
    }))
    return {
      lines: keys.map(
        ({ id, kind, role, maskedKey, lastUsedAt, name }) =>
          `${id}  ${kind}  ${role}  ${maskedKey}  last used ${lastUsedAt ?? 'never'}  ${name}`,
      ),
      json: keys,
    }
  },
}
