import type { Clock } from '../../../../protocol/clock.ts'

export type Pauses = { firstMs: number; sleep: Clock['sleep'] }

/** The same items, and `pause` where the next one takes longer than that; the pauses that are told double. */
export async function* withPauses<T>(
  items: AsyncIterable<T>,
  { firstMs, sleep }: Pauses,
): AsyncGenerator<T | 'pause'> {
  const source = items[Symbol.asyncIterator]()
  let pauseMs = firstMs
  try {
    for (;;) {
      const coming = source.next()
      if (await isLate(coming, { firstMs: pauseMs, sleep })) {
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

const isLate = async (coming: Promise<unknown>, { firstMs, sleep }: Pauses): Promise<boolean> => {
  const come = new AbortController()
  const onTime = () => false
  const late = sleep(firstMs, come.signal).then(() => true)
  try {
    return await Promise.race([coming.then(onTime, onTime), late])
  } finally {
    come.abort()
  }
}
