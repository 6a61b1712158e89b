export type UploadMutex = {
  /**
   * Does `work` while nobody else of this process works on the key. Who comes later goes first: the signal of whoever
   * is at it aborts, because an upload that comes again has lost its earlier connection.
   */
  take<T>(key: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>
}

export const createUploadMutex = (): UploadMutex => {
  const last = new Map<string, { cut: AbortController; ended: Promise<unknown> }>()
  return {
    take: async (key, work) => {
      const before = last.get(key)
      before?.cut.abort(new Error('a later upload of the same file goes on'))
      const cut = new AbortController()
      const working = (async () => {
        await before?.ended
        return work(cut.signal)
      })()
      const turn = { cut, ended: working.then(nothing, nothing) }
      last.set(key, turn)
      try {
        return await working
      } finally {
        if (last.get(key) === turn) last.delete(key)
      }
    },
  }
}

const nothing = (): void => undefined
