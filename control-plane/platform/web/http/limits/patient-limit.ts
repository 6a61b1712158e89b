/**
 * A client that writes many resources at once would rather wait than be refused: `Prefer: wait=60` (RFC 7240) on a write says for
 * how many seconds. Few wait at a time, for a key and in all; everybody else is refused at once, with when to come back.
 */
import type { IncomingMessage } from 'node:http'
import type { App } from '../../../app/app.ts'
import type { Endpoint } from '../server/endpoint.ts'
import { type LimitedCaller, usageOf } from './enforce-rate-limit.ts'
import { requireAllowed, type Usage } from './rate-limiter.ts'

const maxWaitSeconds = 60
const maxWaiting = 200
const maxWaitingOfKey = 20

/** @throws ApiError 429 */
type PatientLimit = (endpoint: Endpoint, caller: LimitedCaller, signal: () => AbortSignal) => Promise<Usage>

export const createPatientLimit = ({ clock }: Pick<App, 'clock'>): PatientLimit => {
  const waiting = new Map<string, number>()
  let all = 0
  const hasRoom = (key: string): boolean => all < maxWaiting && (waiting.get(key) ?? 0) < maxWaitingOfKey
  const sleep = async (key: string, ms: number, signal: AbortSignal): Promise<void> => {
    all += 1
    waiting.set(key, (waiting.get(key) ?? 0) + 1)
    try {
      await clock.sleep(ms, signal)
    } finally {
      all -= 1
      const others = (waiting.get(key) ?? 1) - 1
      if (others === 0) waiting.delete(key)
      else waiting.set(key, others)
    }
  }
  return async (endpoint, caller, signalOf) => {
    let usage = usageOf(endpoint, caller, clock.now())
    const { principal, request } = caller
    if (usage.allowed || principal.kind !== 'account' || request.method === 'GET') return granted(usage)
    const until = clock.monotonic() + patienceOf(request) * 1000
    const signal = signalOf()
    while (!usage.allowed && !signal.aborted && hasRoom(principal.keyId)) {
      const ms = usage.resetSeconds * 1000
      if (clock.monotonic() + ms > until) break
      await sleep(principal.keyId, ms, signal)
      usage = usageOf(endpoint, caller, clock.now())
    }
    return granted(usage)
  }
}

const granted = (usage: Usage): Usage => {
  requireAllowed(usage)
  return usage
}

/** In seconds. */
const patienceOf = ({ headers }: IncomingMessage): number => {
  const [, seconds] =
    /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i.exec(String(headers['prefer'] ?? '')) ?? []
  return Math.min(Number(seconds ?? 0), maxWaitSeconds)
}
