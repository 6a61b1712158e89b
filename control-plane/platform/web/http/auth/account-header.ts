/**
 * Which account the headers of a request name. Clients of such services call the header after their own; it is known by
 * those names alone: gateways add headers of theirs (`x-gateway-account`), which say nothing of an account here.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../../../words/errors.ts'

/** The contract's, and what clients that were written for other services send. */
const accountHeaders = ['x-service-account', 'x-watchpost-account', 'x-checkly-account'] as const

export type AccountHeader = { name: string; value: string }

/** @throws ApiError 400 where two headers name two accounts */
export const accountNamedIn = (headers: IncomingHttpHeaders): AccountHeader | undefined => {
  let found: AccountHeader | undefined
  for (const name of accountHeaders) {
    const sent = headers[name]
    if (sent === undefined) continue
    const value = String(sent)
    if (found !== undefined && found.value.toLowerCase() !== value.toLowerCase())
      throw new ApiError(400, `"${found.name}" and "${name}" name two accounts`)
    found ??= { name, value }
  }
  return found
}
