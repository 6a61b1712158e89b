import type { Failure } from '../../../protocol/result.ts'
import { DeadlinePassed } from '../../base/deadline.ts'
import { type ConnectionState, timedOut } from './failures.ts'

/** A promise to race against; call `forget` when the race is over. */
export const whenAborted = (signal: AbortSignal): { promise: Promise<'aborted'>; forget: () => void } => {
  let forget = (): void => undefined
  const promise = new Promise<'aborted'>((resolve) => {
    const abort = (): void => resolve('aborted')
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
    forget = () => signal.removeEventListener('abort', abort)
  })
  return { promise, forget }
}

/** Time being up is the target's failure; anything else is not, and whoever aborted knows why. */
export const failureOfAbort = (signal: AbortSignal, state: ConnectionState): Failure => {
  if (!(signal.reason instanceof DeadlinePassed)) throw signal.reason
  return timedOut(signal.reason.timeoutMs, state)
}
