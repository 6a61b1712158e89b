import type { App } from '../../platform/app/app.ts'
import { nameOfKey, nameOfUser } from '../../platform/web/audit/queries.ts'
import { type AccountPrincipal, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { CurrentUser } from './schema.ts'

type Who = { id: string; name: string; email: string | null }

const whoCalls = async (app: App, { userId, keyId }: AccountPrincipal): Promise<Who | undefined> => {
  if (userId === null) {
    const key = await app.db.get(nameOfKey, { keyId })
    return key && { id: keyId, name: key.name, email: null }
  }
  const user = await app.db.get(nameOfUser, { userId })
  return user && { id: userId, name: user.name ?? user.email, email: user.email }
}

export const currentUserRoute = route({
  method: 'GET',
  path: '/next/users/me',
  access: 'READ_ONLY',
  tag: 'Accounts',
  summary: 'Whose key it is',
  status: 200,
  response: CurrentUser,
  handle: async ({ principal }, app: App) => {
    const who = await whoCalls(app, principal)
    if (who === undefined) throw notFound()
    return { ...who, nickname: who.name }
  },
})
