/** Bounds how many do something at once; the others wait in the order of their coming. */
export type Places = {
  /** false: the signal aborted first. Who got true says `leave` once. */
  enter(signal: AbortSignal): Promise<boolean>
  leave(): void
}

export const createPlaces = (count: number): Places => {
  const waiting = new Set<() => void>()
  let taken = 0
  return {
    enter: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(false)
        if (taken < count) {
          taken += 1
          return resolve(true)
        }
        const giveUp = (): void => {
          waiting.delete(enter)
          resolve(false)
        }
        const enter = (): void => {
          signal.removeEventListener('abort', giveUp)
          resolve(true)
        }
        signal.addEventListener('abort', giveUp, { once: true })
        waiting.add(enter)
      }),
    leave: () => {
      // The place goes on to the first in line, so that nobody overtakes.
      const [next] = waiting
      if (next === undefined) taken -= 1
      else {
        waiting.delete(next)
        next()
      }
    },
  }
}
