/** The password that an owner chose for a private page: scrypt (RFC 7914), because people choose what can be guessed. */
import { scrypt, timingSafeEqual } from 'node:crypto'

const cost = { N: 16_384, r: 8, p: 1 }
const saltBytes = 16
const keyBytes = 32

const derive = (password: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(password.normalize('NFKC'), salt, keyBytes, cost, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
  )

export const hashPassword = async (
  password: string,
  randomBytes: (size: number) => Buffer,
): Promise<string> => {
  const salt = randomBytes(saltBytes)
  return `${salt.toString('base64url')}.${(await derive(password, salt)).toString('base64url')}`
}

export const isPassword = async (password: string, hash: string): Promise<boolean> => {
  const [salt = '', key = ''] = hash.split('.')
  const known = Buffer.from(key, 'base64url')
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64url')), known)
}
