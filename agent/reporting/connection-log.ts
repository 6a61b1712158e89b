import type { Io } from '../net/io.ts'
import type { Refusal } from './answer.ts'

const repeatAfterMs = 60_000

/**
 * Says once that the control plane cannot be used and what to look at, again at most once a minute while that lasts, and
 * once when it works again.
 */
export const createConnectionLog = (url: string, { clock, log }: Pick<Io, 'clock' | 'log'>) => {
  let state: 'unknown' | 'connected' | 'failing' = 'unknown'
  let saidAt = 0
  let said = ''
  return {
    connected: (): void => {
      if (state !== 'connected') log.info(`connected to the control plane at ${url}`)
      state = 'connected'
      said = ''
    },
    failed: (refusal: Refusal): void => {
      const line = lineOf(url, refusal)
      state = 'failing'
      if (said === line && clock.monotonic() - saidAt < repeatAfterMs) return
      said = line
      saidAt = clock.monotonic()
      log.error(line)
    },
  }
}

const lineOf = (url: string, { reason, status, message }: Refusal): string => {
  if (reason === 'unauthorized')
    return `the control plane refused API_KEY (${status}): check that it is a live key of the private location; trying again`
  if (reason === 'unreachable')
    return `the control plane cannot be reached at CONTROL_PLANE_URL ${url}: ${message}; trying again`
  if (status === 404)
    return `CONTROL_PLANE_URL ${url} answers 404: it does not seem to be a control plane; trying again`
  return `the control plane at ${url} answered ${status}: ${message}; trying again`
}
