import { lockAccount } from '../access/accounts/queries.ts'
import { newKey, storeKey } from '../access/api-keys/new-key.ts'
import { findMember, findUserByEmail } from '../access/members/queries.ts'
import type { Db } from '../platform/store/database/db.ts'
import { type Arguments, type Command, RefusedError, UsageError } from './command.ts'
import { accountOption, givenRoles, requireAccount, required, requireEmail, requireName } from './given.ts'

export const keyCreate: Command = {
  name: 'key create',
  summary: 'make an API key: of a member (--email), or of a service (--service --role)',
  description: 'The key is printed once and not kept.',
  positionals: [],
  options: {
    account: accountOption,
    name: { value: '<text>', required: true, meaning: 'what the key is for' },
    email: { value: '<address>', meaning: 'a user key: acts as this member' },
    service: { meaning: 'a service key: belongs to the account itself' },
    role: { value: '<role>', oneOf: givenRoles, meaning: 'what the service key may do' },
  },
  run: async (context, args) => {
    const name = requireName(required(args, 'name'), '--name')
    requireOneKind(args)
    const email = args.values['email'] === undefined ? null : requireEmail(args.values['email'])
    const app = await context.open()
    const { id: accountId } = await requireAccount(app.db, args)
    const key = newKey(app)
    const now = app.clock.now()
    const row = await app.db.transaction(async (trx) => {
      await trx.get(lockAccount, { id: accountId })
      const holder =
        email === null
          ? ({ kind: 'service', userId: null, role: required(args, 'role') } as const)
          : await memberHolder(trx, accountId, email)
      return storeKey(trx, key, { accountId, name, now, ...holder })
    })
    const whose = email === null ? `Service key (${row.role})` : `Key of ${email} (${row.role})`
    return {
      lines: [`${whose} ${row.id} "${name}", shown only here:`, key.rawKey],
      json: { id: row.id, accountId, name, role: row.role, email, rawKey: key.rawKey },
    }
  },
}

const requireOneKind = ({ values, switches }: Arguments): void => {
  const isService = switches.has('service')
  const problems = [
    ...(isService === (values['email'] !== undefined) ? ['give either --email or --service'] : []),
    ...(isService && values['role'] === undefined ? ['--service needs --role'] : []),
    ...(!isService && values['role'] !== undefined
      ? ["--role is for --service: a user key has its user's role"]
      : []),
  ]
  if (problems.length > 0) throw new UsageError(problems)
}

const memberHolder = async (trx: Db, accountId: string, email: string) => {
  const user = await trx.get(findUserByEmail, { email })
  const member = user && (await trx.get(findMember, { accountId, userId: user.id }))
  if (!member) throw new RefusedError(`${email} is not a member of account ${accountId}: see "member add"`)
  return { kind: 'user', userId: member.user_id, role: member.role } as const
}
