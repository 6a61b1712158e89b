/** The password that an owner chose for a private page: scrypt (RFC 7914), because people choose what can be guessed. */
import { scrypt, timingSafeEqual } from 'node:crypto'
import { type Asker, inHashTurn } from '../../access/sign-in/hash-queue.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasRandomBytes } from '../../platform/services/secrets/cipher.ts'

const cost = { N: 16_384, r: 8, p: 1 }
const saltBytes = 16
const keyBytes = 32

const derive = (password: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(password.normalize('NFKC'), salt, keyBytes, cost, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
  )

type Attempt = Asker & { password: string }

/** @throws ApiError 503 when too many wait */
export const hashPassword = async (
  app: App & HasRandomBytes,
  { password, ...asker }: Attempt,
): Promise<string> => {
  const salt = app.randomBytes(saltBytes)
  const key = await inHashTurn(app, asker, () => derive(password, salt))
  return `${salt.toString('base64url')}.${key.toString('base64url')}`
}

/** @throws ApiError 503 when too many wait */
export const isPassword = async (
  app: App,
  { password, ...asker }: Attempt,
  hash: string,
): Promise<boolean> => {
  const [salt = '', key = ''] = hash.split('.')
  const expected = Buffer.from(key, 'base64url')
  const given = await inHashTurn(app, asker, () => derive(password, Buffer.from(salt, 'base64url')))
  return timingSafeEqual(given, expected)
}
