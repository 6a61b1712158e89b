import { revokeKey } from '../access/api-keys/queries.ts'
import { type Command, RefusedError } from './command.ts'
import { required, requireUuid } from './given.ts'

export const keyRevoke: Command = {
  name: 'key revoke',
  summary: 'end an API key; a running control plane refuses it within 5 seconds',
  positionals: [{ name: 'id', meaning: 'the id of the key (see "key list")' }],
  options: {},
  run: async (context, args) => {
    const id = requireUuid(required(args, 0), '<id>')
    const app = await context.open()
    if ((await app.db.run(revokeKey, { id, now: app.clock.now() })) === 0)
      throw new RefusedError(`there is no working key ${id}`)
    return { lines: [`Key ${id} is revoked`], json: { id, revoked: true } }
  },
}
