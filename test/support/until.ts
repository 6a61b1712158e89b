import { setTimeout as sleep } from 'node:timers/promises'

/** So long that a busy machine never needs it: only what never comes is missed. */
const patienceMs = 200_000

/** Waits until it holds, looking every `everyMs`; rejects with `what` when that is not within `patienceMs`. */
export const until = async (
  what: string,
  holds: () => boolean | Promise<boolean>,
  everyMs = 100,
): Promise<void> => {
  for (const giveUpAt = performance.now() + patienceMs; !(await holds()); await sleep(everyMs))
    if (performance.now() > giveUpAt) throw new Error(`${what}: not within ${patienceMs / 1000} s`)
}
