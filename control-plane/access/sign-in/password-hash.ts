/** Passwords as the store has them: scrypt (RFC 7914) with its cost in the hash, so that it can grow. */

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { App } from '../../platform/app/app.ts'
import type { HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import { type Asker, inHashTurn } from './hash-queue.ts'

/** OWASP's advice for 32 MB (2025). */
const cost = { log2N: 15, r: 8, p: 3 }
const saltBytes = 16
const hashBytes = 32
const form = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/

type Cost = typeof cost

const derive = (password: string, salt: Buffer, { log2N, r, p }: Cost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const N = 2 ** log2N
    const options = { N, r, p, maxmem: 256 * N * r }
    scrypt(password.normalize('NFKC'), salt, hashBytes, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    )
  })

/** @throws ApiError 503 when too many wait */
export const hashPassword = (app: App & HasRandomBytes, password: string, asker: Asker): Promise<string> =>
  inHashTurn(app, asker, async () => {
    const salt = app.randomBytes(saltBytes)
    const key = await derive(password, salt, cost)
    const { log2N, r, p } = cost
    return `scrypt$${log2N}$${r}$${p}$${salt.toString('base64url')}$${key.toString('base64url')}`
  })

type Attempt = Asker & { password: string }

/** Takes as long for a user whom nobody knows or who has no password (`null`). @throws ApiError 503 when too many wait */
export const isPassword = (
  app: App,
  { password, ...asker }: Attempt,
  stored: string | null,
): Promise<boolean> =>
  inHashTurn(app, asker, async () => {
    const [, log2N, r, p, salt = '', hash = ''] = form.exec(stored ?? '') ?? []
    if (stored === null || log2N === undefined) {
      await derive(password, randomBytes(saltBytes), cost)
      return false
    }
    const expected = Buffer.from(hash, 'base64url')
    const own = { log2N: Number(log2N), r: Number(r), p: Number(p) }
    const key = await derive(password, Buffer.from(salt, 'base64url'), own)
    return key.length === expected.length && timingSafeEqual(key, expected)
  })
