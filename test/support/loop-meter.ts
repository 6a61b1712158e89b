/** The most CPU time that this thread has taken between two turns of its event loop: the same however busy the machine is. */
export type LoopMeter = { longestMs(): number; stop(): void }

export const loopMeter = (): LoopMeter => {
  let longest = 0
  let last = takenMs()
  const turn = (): void => {
    const now = takenMs()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(turn, 1)
  return {
    longestMs: () => Math.round(longest),
    stop: () => {
      turn()
      clearInterval(timer)
    },
  }
}

const takenMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
