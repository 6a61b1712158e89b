/** What pages that anybody may ask for have in common. */
import { Type } from 'typebox'
import type { Visitor } from '../../access/sign-in/sign-in-with-key.ts'

export const publicPage = {
  access: 'PUBLIC',
  tag: 'Sign-in',
  responseType: 'text/html',
  response: Type.String(),
} as const

export const visitorOf = (
  headers: Readonly<Record<string, string | undefined>>,
  address: string,
): Visitor => ({
  address,
  browser: headers['user-agent'] ?? '',
})
