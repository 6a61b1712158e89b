/** Bounds how many work at something at once, of each owner and in all. The others wait in the order of their coming. */
type OwnerSemaphore = {
  /** Resolves with how to leave again, or with null: too many of this owner wait, or the signal aborted. */
  enter(owner: string, signal: AbortSignal): Promise<(() => void) | null>
}

type Bounds = { ofOneOwner: number; inAll: number; waitingOfOneOwner: number }
type Waiting = { owner: string; enter: () => void }

export const createOwnerSemaphore = ({ ofOneOwner, inAll, waitingOfOneOwner }: Bounds): OwnerSemaphore => {
  const inside = new Map<string, number>()
  const waiting = new Set<Waiting>()
  let taken = 0

  const mayEnter = (owner: string): boolean => taken < inAll && (inside.get(owner) ?? 0) < ofOneOwner

  const take = (owner: string): (() => void) => {
    taken += 1
    inside.set(owner, (inside.get(owner) ?? 0) + 1)
    return () => leave(owner)
  }

  const leave = (owner: string): void => {
    taken -= 1
    const others = (inside.get(owner) ?? 0) - 1
    if (others > 0) inside.set(owner, others)
    else inside.delete(owner)
    for (const next of waiting)
      if (mayEnter(next.owner)) {
        next.enter()
        return
      }
  }

  const wait = (owner: string, signal: AbortSignal): Promise<(() => void) | null> =>
    new Promise((resolve) => {
      const settle = (permit: (() => void) | null): void => {
        waiting.delete(one)
        signal.removeEventListener('abort', giveUp)
        resolve(permit)
      }
      const giveUp = (): void => settle(null)
      const one: Waiting = { owner, enter: () => settle(take(owner)) }
      signal.addEventListener('abort', giveUp)
      waiting.add(one)
    })

  const waitingOf = (owner: string): number => [...waiting].filter((other) => other.owner === owner).length

  return {
    enter: (owner, signal) => {
      if (signal.aborted) return Promise.resolve(null)
      if (mayEnter(owner)) return Promise.resolve(take(owner))
      if (waitingOf(owner) >= waitingOfOneOwner) return Promise.resolve(null)
      return wait(owner, signal)
    },
  }
}
