import { setTimeout as sleep } from 'node:timers/promises'

/** Looks every `everyMs` until `done` says so; throws after `withinMs`. For states that no event announces. */
export const until = async (
  what: string,
  { everyMs, withinMs }: { everyMs: number; withinMs: number },
  done: () => boolean | Promise<boolean>,
): Promise<void> => {
  const giveUpAt = performance.now() + withinMs
  while (!(await done())) {
    if (performance.now() > giveUpAt) throw new Error(`${what} did not happen within ${withinMs} ms`)
    await sleep(everyMs)
  }
}
