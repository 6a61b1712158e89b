import { findUserByEmail } from '../access/members/queries.ts'
import { linkAddress, newLinkToken, storeLink } from '../access/sign-in/links.ts'
import { type Command, RefusedError } from './command.ts'
import { required, requireEmail } from './given.ts'

export const memberSignInLink: Command = {
  name: 'member sign-in-link',
  summary: 'a link with which somebody who is locked out chooses a new password',
  description:
    'Good once, for 24 hours; earlier links stop working. With the new password the second factor goes, and all sessions of the ' +
    'user end. The address comes from BASE_URL.',
  positionals: [],
  options: { email: { value: '<address>', required: true, meaning: 'who' } },
  run: async (context, args) => {
    const email = requireEmail(required(args, 'email'))
    const app = await context.open()
    const now = app.clock.now()
    const token = newLinkToken(app)
    const user = await app.db.get(findUserByEmail, { email })
    if (user === undefined) throw new RefusedError(`There is no user ${email}`)
    await app.db.transaction((trx) => storeLink(trx, { userId: user.id, purpose: 'OPERATOR', now, token }))
    const link = linkAddress(app, token)
    return { lines: [link], json: { userId: user.id, email, link } }
  },
}
