/**
 * Who sends a key: the same door for requests and for connections that stay. Wrong keys of an address count together, wherever they
 * were tried.
 */
import type { IncomingMessage } from 'node:http'
import type { App } from '../../../app/app.ts'
import { perApp } from '../../../app/per-app.ts'
import { ApiError } from '../../../words/errors.ts'
import { createClientAddress } from '../limits/client-address.ts'
import { type CountedClient, createCountedClient } from '../limits/enforce-rate-limit.ts'
import type { AccountPrincipal, ProgramKey, ProgramPrincipal } from '../route.ts'
import type { AccountHeader } from './account-header.ts'
import { createAuthenticator } from './auth.ts'
import { createFailureLimit } from './auth-failure-limit.ts'

type Door = {
  clientOf: CountedClient
  /** @throws ApiError 400, 401, 403 or 429 */
  account(
    request: IncomingMessage,
    authorization: string | undefined,
    account: AccountHeader | undefined,
  ): Promise<AccountPrincipal>
  /** @throws ApiError 401 or 429 */
  program(
    request: IncomingMessage,
    authorization: string | undefined,
    key: ProgramKey,
  ): Promise<ProgramPrincipal>
}

export const doorOf = perApp((app: App): Door => {
  const clientOf = createCountedClient(createClientAddress(app.config.trustedProxies))
  const authenticator = createAuthenticator(app)
  const failures = createFailureLimit(app, clientOf)
  const counting = async <P>(
    request: IncomingMessage,
    authorization: string | undefined,
    look: () => Promise<P>,
  ): Promise<P> => {
    failures.admit(request, () => authenticator.knows(authorization))
    try {
      return await look()
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) failures.count(request)
      throw error
    }
  }
  return {
    clientOf,
    account: (request, authorization, account) =>
      counting(request, authorization, () => authenticator.account(authorization, account)),
    program: (request, authorization, key) =>
      counting(request, authorization, () => authenticator.program(key, authorization)),
  }
})
