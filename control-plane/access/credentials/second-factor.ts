/** The second factor of a user: an authenticator app, and codes on paper for when it is lost. */

import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { keyHash } from '../../platform/web/http/auth/auth.ts'
import {
  confirmTotp,
  deleteRecoveryCodes,
  deleteTotp,
  findTotp,
  insertRecoveryCode,
  putTotp,
  takeRecoveryCode,
  useTotpStep,
} from './queries.ts'
import { stepOfCode } from './totp.ts'

const secretBytes = 20
const recoveryCodes = 10

export const contextOf = (userId: string): string => `totp ${userId}`

/** A new secret, which counts once a code of it came. */
export const beginTotp = async (app: App & HasCipher & HasRandomBytes, userId: string): Promise<Buffer> => {
  const secret = app.randomBytes(secretBytes)
  const sealedSecret = app.cipher.encrypt(secret.toString('base64'), contextOf(userId))
  await app.db.run(putTotp, { userId, sealedSecret })
  return secret
}

const secretOf = ({ cipher }: App & HasCipher, userId: string, sealed: string): Buffer =>
  Buffer.from(cipher.decrypt(sealed, contextOf(userId)), 'base64')

/** The secret that was shown and is not confirmed; null: there is none. */
export const pendingSecret = async (app: App & HasCipher, userId: string): Promise<Buffer | null> => {
  const row = await app.db.get(findTotp, { userId })
  return row === undefined || row.confirmed_at !== null ? null : secretOf(app, userId, row.sealed_secret)
}

/** Takes a code of the app; each is good once. */
const takeCode = async (app: App & HasCipher, trx: Db, { userId, code }: Answer): Promise<boolean> => {
  const row = await trx.get(findTotp, { userId })
  if (row === undefined) return false
  const secret = secretOf(app, userId, row.sealed_secret)
  const step = stepOfCode(secret, { code, now: app.clock.now(), usedStep: row.used_step })
  return step !== null && (await trx.run(useTotpStep, { userId, step })) > 0
}

type Answer = { userId: string; code: string }

const plain = (code: string): string => code.toLowerCase().replace(/[^a-z0-9]/g, '')

/** A code of the app, or one from paper. */
export const isSecondFactor = async (app: App & HasCipher, answer: Answer): Promise<boolean> => {
  if (await takeCode(app, app.db, answer)) return true
  const hash = keyHash(`${answer.userId} ${plain(answer.code)}`)
  return (await app.db.run(takeRecoveryCode, { userId: answer.userId, hash })) > 0
}

/** The first code turns it on. The codes for paper, shown once; null: the code is wrong. */
export const confirmSecondFactor = async (
  app: App & HasRandomBytes & HasCipher,
  answer: Answer,
): Promise<string[] | null> => {
  const { userId } = answer
  const codes = Array.from({ length: recoveryCodes }, () => app.randomBytes(8).toString('hex'))
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    if (!(await takeCode(app, trx, answer))) return null
    await trx.run(confirmTotp, { userId, now })
    await trx.run(deleteRecoveryCodes, { userId })
    for (const code of codes)
      await trx.run(insertRecoveryCode, { userId, hash: keyHash(`${userId} ${code}`) })
    return codes.map((code) => code.replace(/(.{4})(?=.)/g, '$1-'))
  })
}

/** Off, by who has it: a session that was left open is no proof. False: the code is wrong. */
export const turnOffSecondFactor = async (app: App & HasCipher, answer: Answer): Promise<boolean> => {
  if (!(await isSecondFactor(app, answer))) return false
  await app.db.transaction((trx) => removeSecondFactor(trx, answer.userId))
  return true
}

export const removeSecondFactor = async (trx: Db, userId: string): Promise<void> => {
  await trx.run(deleteTotp, { userId })
  await trx.run(deleteRecoveryCodes, { userId })
}
