import type { HttpTimingPhases, HttpTimings } from '../../../protocol/checks/http-result.ts'
import type { Exchange } from './exchange.ts'

/** Milliseconds since the start of the request at which the socket's events happened. */
export const timingsOf = ({
  started,
  lookup,
  connect,
  secureConnect,
  response,
  ended,
}: Exchange['moments']): HttpTimings => ({
  socket: 0,
  lookup: since(started, lookup),
  connect: since(started, connect),
  secureConnect: since(started, secureConnect),
  response: since(started, response),
  end: since(started, ended),
})

/** Durations; null for a phase that did not take place. `totalMs` spans the redirect chain. */
export const phasesOf = (moments: Exchange['moments'], totalMs: number): HttpTimingPhases => {
  const { started, lookup, connect, secureConnect, response, ended } = moments
  const sent = secureConnect ?? connect
  return {
    wait: 0,
    dns: since(started, lookup),
    tcp: lookup === null ? null : since(lookup, connect),
    tls: connect === null ? null : since(connect, secureConnect),
    firstByte: sent === null ? null : since(sent, response),
    download: response === null ? null : since(response, ended),
    total: round(totalMs),
  }
}

const since = (start: number, end: number | null): number | null =>
  end === null ? null : round(Math.max(0, end - start))

/** Hundredths of a millisecond: more would be noise of the event loop. */
const round = (milliseconds: number): number => Math.round(milliseconds * 100) / 100
