/**
 * Which account the headers of a request name. Clients of such services call the header after their own: every
 * `x-<word>-account` counts as `x-service-account` does.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../../../words/errors.ts'

const named = /^x-[a-z0-9]+-account$/

export type AccountHeader = { name: string; value: string }

/** @throws ApiError 400 where two headers name two accounts */
export const accountNamedIn = (headers: IncomingHttpHeaders): AccountHeader | undefined => {
  let found: AccountHeader | undefined
  for (const name in headers) {
    if (!name.startsWith('x-') || !named.test(name)) continue
    const value = String(headers[name])
    if (found !== undefined && found.value.toLowerCase() !== value.toLowerCase())
      throw new ApiError(400, `"${found.name}" and "${name}" name two accounts`)
    found ??= { name, value }
  }
  return found
}
