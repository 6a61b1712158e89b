import { setTimeout as sleep } from 'node:timers/promises'

/** The same items, and `pause` where the next one takes longer than that; the pauses that are told double. */
export async function* withPauses<T>(
  items: AsyncIterable<T>,
  firstPauseMs: number,
): AsyncGenerator<T | 'pause'> {
  const source = items[Symbol.asyncIterator]()
  let pauseMs = firstPauseMs
  try {
    for (;;) {
      const coming = source.next()
      if (await isLate(coming, pauseMs)) {
        pauseMs *= 2
        yield 'pause'
      }
      const next = await coming
      if (next.done) return
      yield next.value
    }
  } finally {
    await source.return?.()
  }
}

const isLate = async (coming: Promise<unknown>, pauseMs: number): Promise<boolean> => {
  const come = new AbortController()
  const onTime = coming.then(
    () => false,
    () => false,
  )
  const late = sleep(pauseMs, true, { signal: come.signal }).catch(() => false)
  const isLate = await Promise.race([onTime, late])
  come.abort()
  return isLate
}
