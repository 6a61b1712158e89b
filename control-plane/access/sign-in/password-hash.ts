/**
 * Passwords as the store has them: scrypt (RFC 7914) with its cost in the hash, so that it can grow. A hash takes 32 MB and some hundred
 * milliseconds of a thread: two at once in this process, a few wait, and more are sent away.
 */

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import type { HasRandomBytes } from '../../platform/doors/secrets/cipher.ts'
import { ApiError } from '../../platform/words/errors.ts'

/** OWASP's advice for 32 MB (2025). */
const cost = { log2N: 15, r: 8, p: 3 }
const saltBytes = 16
const hashBytes = 32
const maxAtOnce = 2
const maxWaiting = 30
const form = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/

type Cost = typeof cost

const queueOf = perApp(() => ({ running: 0, waiting: [] as (() => void)[] }))

/** @throws ApiError 503 when too many wait */
const inTurn = async <T>(app: App, work: () => Promise<T>): Promise<T> => {
  const queue = queueOf(app)
  if (queue.running >= maxAtOnce) {
    if (queue.waiting.length >= maxWaiting)
      throw new ApiError(503, 'Too many people sign in at once', { headers: { 'retry-after': '5' } })
    await new Promise<void>((resolve) => queue.waiting.push(resolve))
  } else queue.running += 1
  try {
    return await work()
  } finally {
    const next = queue.waiting.shift()
    if (next === undefined) queue.running -= 1
    else next()
  }
}

const derive = (password: string, salt: Buffer, { log2N, r, p }: Cost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const N = 2 ** log2N
    const options = { N, r, p, maxmem: 256 * N * r }
    scrypt(password.normalize('NFKC'), salt, hashBytes, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    )
  })

export const hashPassword = (app: App & HasRandomBytes, password: string): Promise<string> =>
  inTurn(app, async () => {
    const salt = app.randomBytes(saltBytes)
    const key = await derive(password, salt, cost)
    const { log2N, r, p } = cost
    return `scrypt$${log2N}$${r}$${p}$${salt.toString('base64url')}$${key.toString('base64url')}`
  })

/** Takes as long for a user whom nobody knows or who has no password (`null`). */
export const isPassword = (app: App, password: string, stored: string | null): Promise<boolean> =>
  inTurn(app, async () => {
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
