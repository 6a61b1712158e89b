import { lockAccount } from '../access/accounts/queries.ts'
import { addMember } from '../access/members/change-members.ts'
import { findUserByEmail } from '../access/members/queries.ts'
import { roles } from '../platform/words/shapes/roles.ts'
import { type Command, RefusedError } from './command.ts'
import { accountOption, requireAccount, required, requireEmail, requireName } from './given.ts'

export const memberAdd: Command = {
  name: 'member add',
  summary: 'make somebody a member of an account',
  description:
    'Somebody who is a member of another account is added only with --existing-user: whoever holds a key of theirs ' +
    'gets into this account too.',
  positionals: [],
  options: {
    account: accountOption,
    email: { value: '<address>', required: true, meaning: 'who' },
    name: { value: '<text>', meaning: 'their name' },
    role: { value: '<role>', required: true, oneOf: [...roles].reverse(), meaning: 'what they may do' },
    'existing-user': { meaning: 'the e-mail has a user already, and that is who is meant' },
  },
  run: async (context, args) => {
    const email = requireEmail(required(args, 'email'))
    const role = required(args, 'role')
    const name = args.values['name'] === undefined ? null : requireName(args.values['name'], '--name')
    const app = await context.open()
    const { id: accountId } = await requireAccount(app.db, args)
    const now = app.clock.now()
    const newId = app.newId()
    const member = await app.db.transaction(async (trx) => {
      await trx.get(lockAccount, { id: accountId })
      const known = await trx.get(findUserByEmail, { email })
      if (known && !args.switches.has('existing-user'))
        throw new RefusedError(`${email} is a user already: add --existing-user if that is who is meant`)
      const who = known
        ? ({ userId: known.id, newUser: null } as const)
        : { userId: newId, newUser: { email, name } }
      return addMember(trx, { accountId, role, now, ...who })
    })
    const json = { accountId, userId: member.user_id, email, name: member.name, role }
    return { lines: [`User ${member.user_id} ${email} is ${role} of account ${accountId}`], json }
  },
}
