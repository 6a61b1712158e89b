/** Lets so many pieces of work run at once; the others wait, in the order of their coming. */
export const createTurns = (atOnce: number): (<T>(work: () => Promise<T>) => Promise<T>) => {
  const waiting: (() => void)[] = []
  let free = atOnce
  const enter = (): Promise<void> | undefined => {
    if (free === 0) return new Promise((resolve) => waiting.push(resolve))
    free -= 1
    return undefined
  }
  const leave = (): void => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
  return async (work) => {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
