/** What pages that anybody may ask for have in common. */
import { Type } from 'typebox'
import { knownBrowser } from '../../access/sign-in/known-browser.ts'
import { accountName } from '../../access/sign-in/sign-in-limit.ts'
import type { Visitor } from '../../access/sign-in/sign-in-with-key.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'

export const publicPage = {
  access: 'PUBLIC',
  tag: 'Sign-in',
  responseType: 'text/html',
  response: Type.String(),
} as const

type Headers = Readonly<Record<string, string | undefined>>

/** The browser's id if this account signed in with it before (null: any account); null: it is a stranger's. */
export const knownHere = (app: App & HasCipher, headers: Headers, account: string | null): string | null =>
  knownBrowser(app, headers, {
    room: 'sign-in',
    subject: account === null ? null : accountName(account),
  })

export const visitorOf = (headers: Headers, address: string): Visitor => ({
  address,
  browser: headers['user-agent'] ?? '',
})
