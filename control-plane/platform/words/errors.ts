/**
 * The one error a handler throws when the caller erred. Everything else that is thrown is our own failure: logged once
 * with its cause and shown as a bare 500. A target that fails is neither: it is a result.
 */
import { STATUS_CODES } from 'node:http'
import type { Violation } from '../../../protocol/validate.ts'

export type ErrorBody = {
  statusCode: number
  /** The status' reason phrase. */
  error: string
  message: string
  attributes: Record<string, unknown>
}

export class ApiError extends Error {
  readonly status: number
  readonly attributes: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(
    status: number,
    message: string = reasonPhrase(status),
    more: { attributes?: Record<string, unknown>; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.attributes = more.attributes ?? {}
    this.headers = more.headers ?? {}
  }
}

/** 400 that names every broken rule: the first in `message`, all in `attributes.violations`. */
export const invalid = (violations: Violation[]): ApiError => {
  const [first, ...others] = violations
  const message = first?.message ?? 'the request is not valid'
  const tail = others.length === 0 ? '' : ` (and ${others.length} more)`
  return new ApiError(400, `${message}${tail}`, { attributes: { violations } })
}

/** A violation of a rule that no schema can say. */
export const violation = (path: string, rule: string, problem: string): Violation => ({
  path,
  rule,
  message: `"${path}" ${problem}`,
})

export const notFound = (message?: string): ApiError => new ApiError(404, message)

export const errorBody = (
  statusCode: number,
  message: string = reasonPhrase(statusCode),
  attributes: Record<string, unknown> = {},
): ErrorBody => ({ statusCode, error: reasonPhrase(statusCode), message, attributes })

const reasonPhrase = (status: number): string => STATUS_CODES[status] ?? 'Error'
