/**
 * What belongs to an account can be reached in two ways: under `/v1/accounts/me` and under `/v1/accounts/{accountId}`.
 * `meAndById` declares both from one description. The account in the path is one that the caller's key opens; every other
 * one does not exist for them.
 */
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import { requireRole } from '../../platform/web/http/auth/auth.ts'
import { findMembership } from '../../platform/web/http/auth/auth-queries.ts'
import {
  type AccountPrincipal,
  type Route,
  type RouteOf,
  type RouteOptions,
  route,
  type ValueOf,
} from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import type { Role } from '../../platform/words/shapes/roles.ts'

type Twin<P extends TProperties, Q, B, R, A extends Role, D extends App> = Omit<
  RouteOptions<TObject<P>, Q, B, R, A, D>,
  'params' | 'path'
> & {
  /** Below the account: '' or `/members/:userId`. */
  path: string
  params?: P
}

const exampleAccountId = '4d5a3f0e-7c1b-4e62-9f0d-5b8e21c7a910'

export const meAndById = <
  const A extends Role,
  P extends TProperties = Record<never, never>,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
  R extends TSchema | undefined = undefined,
  D extends App = App,
>(
  options: Twin<P, Q, B, R, A, D>,
): [own: RouteOf<Static<TObject<P>>, ValueOf<Q>, ValueOf<B>, ValueOf<R>, D>, named: Route<D>] => {
  const { path, params, handle, summary, example, ...shared } = options
  // The handler sees the parameters below the account in both: the conditional parts hide that from the compiler.
  const own = route({
    ...shared,
    path: `/v1/accounts/me${path}`,
    summary,
    ...(params ? { params: Type.Object(params) } : {}),
    ...(example ? { example } : {}),
    handle: handle as never,
  })
  const named = route({
    ...shared,
    path: `/v1/accounts/:accountId${path}`,
    summary: `${summary} (of the account in the path)`,
    params: Type.Object({ accountId: Type.String({ format: 'uuid' }), ...params }),
    example: { ...example, params: { accountId: exampleAccountId, ...example?.params } },
    handle: (async (input: NamedInput, app: D) => {
      const principal = await inAccount(app, input, options.access)
      return handle({ ...input, principal } as never, app)
    }) as never,
  })
  return [own, named]
}

type NamedInput = { principal: AccountPrincipal; params: { accountId: string } & Static<TObject> }

/** The caller as a member of the account in the path. @throws ApiError 403, 404 */
const inAccount = async (
  app: App,
  { principal, params }: NamedInput,
  needed: Role,
): Promise<AccountPrincipal> => {
  const accountId = params.accountId.toLowerCase()
  if (accountId === principal.accountId) return principal
  const { userId } = principal
  const membership = userId === null ? undefined : await app.db.get(findMembership, { accountId, userId })
  if (!membership) throw notFound()
  const there: AccountPrincipal = { ...principal, accountId, role: membership.role as Role }
  requireRole(there, needed)
  return there
}
