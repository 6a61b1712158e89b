/** Bytes that several at once may hold in memory together. */
export type ByteBudget = {
  /** False: there is no room for them, and nothing is taken. */
  take(bytes: number): boolean
  give(bytes: number): void
}

export const createByteBudget = (most: number): ByteBudget => {
  let held = 0
  return {
    take: (bytes) => {
      if (held + bytes > most) return false
      held += bytes
      return true
    },
    give: (bytes) => {
      held -= bytes
    },
  }
}
