import type { ServerResponse } from 'node:http'

/** The requests whose handlers look at their signal: those that wait. */
export type WaitSignals = {
  /** Aborts when the client goes away, the answer is sent or the server drains. */
  signalFor(response: ServerResponse): AbortSignal
  drain(): void
}

/** Without a reason of its own an abort makes an exception with a stack: too expensive for what ends every long poll. */
const over = new Error('Nobody waits for the answer any more')

/** A set of its own, because adding a listener to one shared signal takes time in proportion to those it has. */
export const createWaiting = (): WaitSignals => {
  const open = new Set<AbortController>()
  let draining = false
  return {
    signalFor: (response) => {
      const controller = new AbortController()
      if (draining) controller.abort(over)
      open.add(controller)
      response.once('close', () => {
        open.delete(controller)
        controller.abort(over)
      })
      return controller.signal
    },
    drain: () => {
      draining = true
      for (const controller of open) controller.abort(over)
    },
  }
}
