/**
 * Attempts to sign in, so that guessing stays slow: of a browser that is known, by itself; of strangers per address, per account and address,
 * and per account, whoever tries. Counted in this process; what is counted is never a secret.
 */
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { clientNetwork, siteNetwork } from '../../platform/web/http/limits/address-network.ts'
import {
  type Counted,
  createRateLimiter,
  requireAllowed,
  type Usage,
} from '../../platform/web/http/limits/rate-limiter.ts'
import { createGuessLimit } from './guess-limit.ts'
import type { Asker } from './hash-queue.ts'

const quarterSeconds = 900
const perKnownBrowser = { requests: 10, seconds: quarterSeconds }
const perAddress = { requests: 30, seconds: quarterSeconds }
const perAccountAndAddress = { requests: 10, seconds: quarterSeconds }
const perAccount = { requests: 100, seconds: 3600 }
const max = 10_000

const limitersOf = perApp(() => ({
  known: createRateLimiter(perKnownBrowser, max),
  address: createRateLimiter(perAddress, max),
  both: createRateLimiter(perAccountAndAddress, max),
  account: createGuessLimit(perAccount, max),
}))

/** `account`: what was named, whether it is known or not; null: nothing was (a key). */
type Attempt = Asker & { account: string | null }

/**
 * Counts an attempt before it is judged, so that many at once count like many in a row. Where one count refuses, the next ones do not
 * count it: an address that is refused uses up nothing of an account.
 * @throws ApiError 429
 */
export const admitAttempt = (app: App, { address, account, known }: Attempt): void => {
  const now = app.clock.now()
  const limits = limitersOf(app)
  if (known !== null) {
    requireRoom(limits.known.take({ name: known, wider: () => '' }, now))
    return
  }
  const from: Counted = { name: clientNetwork(address), wider: () => siteNetwork(address) }
  requireRoom(limits.address.take(from, now))
  if (account === null) return
  const named = accountName(account)
  requireRoom(limits.both.take({ name: `${named} ${from.name}`, wider: () => from.wider() }, now))
  requireRoom(limits.account.take({ name: named, wider: () => 'others' }, address, now))
}

/** As it is counted: an e-mail in any case is one. */
export const accountName = (account: string): string => account.trim().toLowerCase().slice(0, 320)

/** What guesses of a user's second factor are counted under. */
export const codeAccount = (userId: string): string => `code ${userId}`

const requireRoom = (usage: Usage): void => requireAllowed(usage, 'Too many attempts to sign in')
