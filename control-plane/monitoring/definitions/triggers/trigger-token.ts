/** What is secret of a trigger's address: sealed in the store, since whoever may run checks is shown it again. */
import { hash, timingSafeEqual } from 'node:crypto'
import type { Cipher } from '../../../platform/services/secrets/cipher.ts'
import type { CheckTriggersTable } from '../../../platform/store/database/tables/checks.ts'

export const contextOf = (kind: string, target: string): string => `trigger ${kind} ${target}`

type Sealed = Pick<CheckTriggersTable, 'kind' | 'target' | 'sealed_token'>

export const sealToken = (
  cipher: Cipher,
  { kind, target }: Pick<Sealed, 'kind' | 'target'>,
  token: string,
): string => cipher.encrypt(token, contextOf(kind, target))

export const openToken = (cipher: Cipher, { kind, target, sealed_token }: Sealed): string =>
  cipher.decrypt(sealed_token, contextOf(kind, target))

/** Takes as long whatever was sent, and for a trigger that is not there, too. */
export const isToken = (cipher: Cipher, trigger: Sealed | undefined, sent: string): boolean => {
  const expected = trigger === undefined ? '' : openToken(cipher, trigger)
  const same = timingSafeEqual(digest(expected), digest(sent))
  return trigger !== undefined && same
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
