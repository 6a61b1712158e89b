import { unescape as percentDecode } from 'node:querystring'
import { userAgent } from '../base/version.ts'
import { acceptedEncodings } from '../net/http/body.ts'

/** Headers of every request of ours, unless the check has its own. */
export const defaultHeaders = {
  'User-Agent': userAgent,
  Accept: '*/*',
  'Accept-Encoding': acceptedEncodings,
} as const

/** The failure of a check whose address no request can be sent to. */
export const invalidUrl = {
  code: 'INVALID_URL',
  message: 'The address of the check is not a valid http or https URL',
} as const

/** The value of an Authorization header (RFC 7617), as UTF-8. */
export const basicAuthorization = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** The credentials in an address are sent as basic authentication. */
export const authorizationOf = ({ username, password }: URL): { Authorization?: string } =>
  username === '' && password === ''
    ? {}
    : { Authorization: basicAuthorization(percentDecode(username), percentDecode(password)) }
