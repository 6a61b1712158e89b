/**
 * Failed sign-ins, so that guessing stays slow: per address, per account and address, and per account, whoever tries. The last is high, so that
 * nobody can easily keep somebody else out. Counted in this process; what is counted is never a secret.
 */
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { clientNetwork, siteNetwork } from '../../platform/web/http/address-network.ts'
import { type Counted, createRateLimiter, refusalHeaders } from '../../platform/web/http/rate-limiter.ts'
import { ApiError } from '../../platform/words/errors.ts'

const quarterSeconds = 900
const perAddress = { requests: 30, seconds: quarterSeconds }
const perAccountAndAddress = { requests: 10, seconds: quarterSeconds }
const perAccount = { requests: 100, seconds: 3600 }
const most = 10_000

const limitersOf = perApp(() => ({
  address: createRateLimiter(perAddress, most),
  both: createRateLimiter(perAccountAndAddress, most),
  account: createRateLimiter(perAccount, most),
}))

/** `account`: what was named, whether it is known or not; null: nothing was (a key). */
type Attempt = { address: string; account: string | null }

const counters = (app: App, { address, account }: Attempt) => {
  const { address: byAddress, both, account: byAccount } = limitersOf(app)
  const from: Counted = { name: clientNetwork(address), wider: () => siteNetwork(address) }
  const named = account?.trim().toLowerCase().slice(0, 320)
  return [
    [byAddress, from],
    ...(named === undefined
      ? []
      : ([
          [both, { name: `${named} ${from.name}`, wider: () => from.wider() }],
          [byAccount, { name: named, wider: () => 'others' }],
        ] as const)),
  ] as const
}

/**
 * Counts an attempt before it is judged, so that many at once count like many in a row.
 * @throws ApiError 429
 */
export const admitAttempt = (app: App, attempt: Attempt): void => {
  const now = app.clock.now()
  const usages = counters(app, attempt).map(([limiter, counted]) => limiter.take(counted, now))
  const over = usages.find(({ allowed }) => !allowed)
  if (over !== undefined)
    throw new ApiError(429, 'Too many attempts to sign in', { headers: refusalHeaders(over) })
}
