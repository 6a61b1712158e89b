import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { HasLocales } from '../../platform/web/html/locales.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { meAndById } from '../accounts/me-and-by-id-routes.ts'
import { serializeUserKey } from '../api-keys/schema.ts'
import { acceptInvite, joinByInvite } from './accept-invite.ts'
import { createInvite, renew, type WithToken } from './invite.ts'
import { deleteInvite } from './invite-queries.ts'
import {
  AcceptedInvite,
  CreatedInvite,
  InviteAcceptance,
  InviteJoin,
  Member,
  NewInvite,
  serializeInvite,
  serializeMember,
} from './schema.ts'

const tag = 'Members'
const oneInvite = { id: Type.String({ format: 'uuid' }) }
const exampleId = '7a1f0c9b-6d2e-4b35-a8c7-e5d4f3b2a190'
const exampleToken = 'wi_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG'
const takingStatuses = {
  404: 'No such invite',
  409: 'Somebody with the e-mail is a user or member already',
  410: 'The invite has expired',
}

const withToken = ({ invite, token, now }: WithToken) => ({ ...serializeInvite(invite, now), token })

const invite = meAndById({
  method: 'POST',
  path: '/invites',
  access: 'ADMIN',
  tag,
  summary: 'Invite somebody',
  description:
    'They get a mail with the token. The answer carries it too, to hand it over where no mails are sent; it is not ' +
    'shown again. An invite waits 30 days.',
  body: NewInvite,
  status: 201,
  otherStatuses: { 409: 'A member or a waiting invite has the e-mail' },
  response: CreatedInvite,
  example: { body: { email: 'ada@example.com', role: 'READ_WRITE' } },
  handle: async ({ principal, body }, app: App & HasCipher & HasLocales & HasRandomBytes) =>
    withToken(await createInvite(app, { principal, ...body })),
})

const resend = meAndById({
  method: 'POST',
  path: '/invites/:id/resend',
  access: 'ADMIN',
  tag,
  summary: 'Give an invite a new token and 30 more days',
  description: 'Also one that has expired. The token before stops working.',
  params: oneInvite,
  status: 200,
  response: CreatedInvite,
  example: { params: { id: exampleId } },
  handle: async ({ principal, params }, app: App & HasCipher & HasLocales & HasRandomBytes) =>
    withToken(await renew(app, { accountId: principal.accountId, id: params.id.toLowerCase() })),
})

const withdraw = meAndById({
  method: 'DELETE',
  path: '/invites/:id',
  access: 'ADMIN',
  tag,
  summary: 'Withdraw an invite',
  params: oneInvite,
  status: 204,
  example: { params: { id: exampleId } },
  handle: async ({ principal: { accountId }, params }, app) => {
    if ((await app.db.run(deleteInvite, { id: params.id.toLowerCase(), accountId })) === 0) throw notFound()
  },
})

const accept = route({
  method: 'POST',
  path: '/v1/invites/accept',
  access: 'PUBLIC',
  tag,
  summary: 'Accept an invite as a new user',
  description:
    'Makes the user, the membership and a first API key, which is shown only in this answer. Who is a user already ' +
    '(409) joins with a key of theirs.',
  body: InviteAcceptance,
  status: 201,
  otherStatuses: takingStatuses,
  response: AcceptedInvite,
  rateLimit: { requests: 20, seconds: 60 },
  example: { body: { token: exampleToken, name: 'Ada Lovelace' } },
  handle: async ({ body }, app: App & HasRandomBytes) => {
    const { member, key, rawKey } = await acceptInvite(app, { token: body.token, name: body.name ?? null })
    return { member: serializeMember(member), apiKey: { ...serializeUserKey(key), rawKey } }
  },
})

const join = route({
  method: 'POST',
  path: '/v1/invites/join',
  access: 'READ_ONLY',
  tag,
  summary: 'Accept an invite as the user of the key',
  description:
    'The invite must be for that user. Their keys then open the new account too, named in `x-service-account`.',
  body: InviteJoin,
  status: 201,
  otherStatuses: takingStatuses,
  response: Member,
  rateLimit: { requests: 20, seconds: 60 },
  example: { body: { token: exampleToken } },
  handle: async ({ principal, body }, app: App & HasRandomBytes) =>
    serializeMember(await joinByInvite(app, { token: body.token, userId: principal.userId })),
})

export const inviteRoutes: Route<App & HasCipher & HasLocales & HasRandomBytes>[] = [
  ...invite,
  ...resend,
  ...withdraw,
  accept,
  join,
]
