/**
 * Hashing a password takes tens of megabytes and some hundred milliseconds of a thread, and anybody may ask for it: two at once in this process,
 * for whatever the passwords are of. Of those who wait, browsers that are known (known-browser.ts) come first, and then whoever's network
 * asked least of late, so that guessers wait for each other. When too many wait, those who asked most are sent away.
 */
import { createFairQueue } from '../../../protocol/fair-queue.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { clientNetwork } from '../../platform/web/http/limits/address-network.ts'
import { ApiError } from '../../platform/words/errors.ts'

const maxAtOnce = 2
const maxWaiting = 100

/** Who asks: `known` names a browser, or somebody who is signed in, and null is a stranger. */
export type Asker = { address: string; known: string | null }

type Waiting = { key: string; settle: PromiseWithResolvers<void> }

const queuesOf = perApp(({ clock }) => {
  const queue = () => createFairQueue<Waiting>({ max: maxWaiting, monotonic: () => clock.monotonic() })
  return { running: 0, known: queue(), strangers: queue() }
})

type Queues = ReturnType<typeof queuesOf>

const turn = async (queues: Queues, { address, known }: Asker): Promise<void> => {
  const queue = known === null ? queues.strangers : queues.known
  const key = known ?? clientNetwork(address)
  queue.charge(key, 1)
  if (queues.running < maxAtOnce) {
    queues.running += 1
    return
  }
  const settle = Promise.withResolvers<void>()
  for (const { settle: without } of queue.add({ key, settle }))
    without.reject(new ApiError(503, 'Too many people sign in at once', { headers: { 'retry-after': '5' } }))
  await settle.promise
}

/** @throws ApiError 503 when too many wait */
export const inHashTurn = async <T>(
  app: Parameters<typeof queuesOf>[0],
  asker: Asker,
  work: () => Promise<T>,
): Promise<T> => {
  const queues = queuesOf(app)
  await turn(queues, asker)
  try {
    return await work()
  } finally {
    const next = queues.known.next() ?? queues.strangers.next()
    if (next === null) queues.running -= 1
    else next.settle.resolve()
  }
}
