/**
 * Turns of the event loop for work that can be cut into pieces: one piece in each, however many wait, and the owners in
 * rotation, so that one owner's many questions delay neither those of others nor what arrives meanwhile.
 */
type Scheduler = { next(owner: string): Promise<void> }

export const createScheduler = (): Scheduler => {
  /** In the order in which the owners are served. */
  const lines = new Map<string, Array<() => void>>()
  let granting = false

  const grant = (): void => {
    const [first] = lines
    if (first === undefined) {
      granting = false
      return
    }
    const [owner, line] = first
    const begin = line.shift()
    lines.delete(owner)
    if (line.length > 0) lines.set(owner, line)
    setImmediate(grant)
    begin?.()
  }

  return {
    next: (owner) =>
      new Promise((resolve) => {
        const line = lines.get(owner)
        if (line === undefined) lines.set(owner, [resolve])
        else line.push(resolve)
        if (granting) return
        granting = true
        setImmediate(grant)
      }),
  }
}
