import { newAccountDoc } from '../access/accounts/account-doc.ts'
import { insertAccount } from '../access/accounts/queries.ts'
import type { Command } from './command.ts'
import { required, requireName } from './given.ts'

export const accountCreate: Command = {
  name: 'account create',
  summary: 'make an account',
  description: 'Give it an owner next: member add --role OWNER, then key create --email.',
  positionals: [{ name: 'name', meaning: 'what people call it' }],
  options: {},
  run: async (context, args) => {
    const name = requireName(required(args, 0), '<name>')
    const app = await context.open()
    const id = app.newId()
    await app.db.run(insertAccount, { id, name, now: app.clock.now(), doc: newAccountDoc() })
    return { lines: [`Account ${id} "${name}"`], json: { id, name } }
  },
}
