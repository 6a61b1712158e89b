import { toIso } from '../platform/words/shapes/instants.ts'
import type { Command } from './command.ts'
import { accountsWithCounts } from './queries.ts'

export const accountList: Command = {
  name: 'account list',
  summary: 'the accounts, oldest first',
  positionals: [],
  options: {},
  run: async (context) => {
    const { db } = await context.open()
    const accounts = (await db.all(accountsWithCounts, {})).map((row) => ({
      id: row.id,
      name: row.name,
      createdAt: toIso(row.created_at),
      members: row.members,
      checks: row.checks,
    }))
    return {
      lines: accounts.map(
        ({ id, name, createdAt, members, checks }) =>
          `${id}  ${createdAt.slice(0, 10)}  members ${members}  checks ${checks}  ${name}`,
      ),
      json: accounts,
    }
  },
}
