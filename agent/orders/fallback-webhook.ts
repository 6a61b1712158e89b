/**
 * Somebody is told while the control plane is away: an address of the operator's, once that it cannot be reached, then of each check whose state
 * changes. One message at a time and at a bounded rate: a check that changes again before its turn is told as it is by then, and one that is
 * what was told of it is not told at all.
 */
import { createHmac } from 'node:crypto'
import type { ToldMeanwhile } from '../../protocol/standing-order.ts'
import { type BackOff, createBackOff } from '../base/back-off.ts'
import type { Io } from '../net/io.ts'
import {
  type CheckState,
  changeBody,
  type StateChange,
  type Teller,
  unreachableBody,
} from './fallback-body.ts'
import type { Told } from './journal-records.ts'

export type FallbackWebhook = {
  /** `since`: the last answer, on the control plane's clock; `sinceMs`: how long that is ago. */
  onAlone(since: number, sinceMs: number): void
  onBack(): void
  /** A run of a check has ended, made while this agent is alone. */
  onState(change: Omit<StateChange, 'before'>, before: CheckState): void
  stop(): void
}

/** The status of the answer; 0: there was none. */
export type PostFallback = (body: string, headers: Record<string, string>) => Promise<number>

type FallbackOptions = {
  agentId: string
  secret: string | null
  afterMs: number
  io: Pick<Io, 'clock' | 'random' | 'log' | 'newId'>
  post: PostFallback
  serverNow(): number
  location(): string | null
  told(): Told
  setTold(told: Told): void
  onSent(outcome: 'told' | 'failed'): void
}

type State = FallbackOptions & {
  /** Of the checks that are to be told of, by their ids. */
  pending: Map<string, StateChange>
  aloneSince: number | null
  /** Aborted when the agent is no longer alone. */
  alone: AbortController
  telling: boolean
  backOff: BackOff
}

/** Thirty a minute: who reads them is a person. */
const tellEveryMs = 2000
/** As many as one request can carry to the control plane later. */
const maxChecks = 1000
const maxTries = 10

export const createFallbackWebhook = (options: FallbackOptions): FallbackWebhook => {
  const state: State = {
    ...options,
    pending: new Map(),
    aloneSince: null,
    alone: new AbortController(),
    telling: false,
    backOff: createBackOff(options.io),
  }
  return {
    onAlone: (since, sinceMs) => {
      state.alone = new AbortController()
      state.aloneSince = since
      begin(state, Math.max(0, state.afterMs - sinceMs))
    },
    onBack: () => onBack(state),
    onState: (change, before) => onState(state, change, before),
    stop: () => state.alone.abort(),
  }
}

const begin = async (state: State, waitMs: number): Promise<void> => {
  const { signal } = state.alone
  await state.io.clock.sleep(waitMs, signal)
  if (signal.aborted) return
  const told = state.told()
  if (told.saidAloneAt === null) {
    const isTold = await tell(state, signal, unreachableBody)
    if (signal.aborted) return
    // Also where the address takes nothing: it is not asked for ever.
    state.setTold({ ...state.told(), saidAloneAt: state.serverNow() })
    if (!isTold) state.io.log.error('FALLBACK_WEBHOOK_URL could not be told that the control plane is away')
  }
  tellChanges(state)
}

const onBack = (state: State): void => {
  state.alone.abort()
  state.aloneSince = null
  state.pending.clear()
  const told = state.told()
  if (told.saidAloneAt !== null) state.setTold({ ...told, saidAloneAt: null })
}

const onState = (state: State, change: Omit<StateChange, 'before'>, before: CheckState): void => {
  const { pending, told } = state
  const { checks } = told()
  const last = checks.find(({ checkId }) => checkId === change.checkId)?.state
  const reference = last ?? pending.get(change.checkId)?.before ?? before
  if (reference === change.state) pending.delete(change.checkId)
  else if (last !== undefined || checks.length + pending.size < maxChecks)
    pending.set(change.checkId, { ...change, before: reference })
  tellChanges(state)
}

const tellChanges = async (state: State): Promise<void> => {
  const { pending, alone, told, io } = state
  if (state.telling || alone.signal.aborted || told().saidAloneAt === null) return
  state.telling = true
  while (pending.size > 0 && !alone.signal.aborted) {
    const [change] = pending.values() as Iterable<StateChange> as [StateChange]
    pending.delete(change.checkId)
    const isTold = await tell(state, alone.signal, (teller) => changeBody(teller, change))
    if (isTold)
      state.setTold(
        withCheck(told(), { checkId: change.checkId, state: change.state, at: state.serverNow() }),
      )
    await io.clock.sleep(tellEveryMs, alone.signal)
  }
  state.telling = false
}

const withCheck = (told: Told, one: ToldMeanwhile): Told => ({
  ...told,
  checks: [...told.checks.filter(({ checkId }) => checkId !== one.checkId), one],
})

/** Whether it was taken. A try that fails is made again, for as long as the control plane is away. */
const tell = async (
  state: State,
  signal: AbortSignal,
  bodyOf: (teller: Teller) => string,
): Promise<boolean> => {
  const { io, agentId, location, aloneSince, serverNow, post, secret, onSent, backOff } = state
  const id = io.newId()
  const body = bodyOf({ id, agentId, location: location(), aloneSince: aloneSince ?? serverNow() })
  for (let count = 0; count < maxTries && !signal.aborted; count += 1) {
    const status = await post(body, headersOf({ id, body, secret, now: serverNow() }))
    if (status >= 200 && status < 300) {
      backOff.reset()
      onSent('told')
      return true
    }
    onSent('failed')
    io.log.warn(`FALLBACK_WEBHOOK_URL ${status === 0 ? 'does not answer' : `answers ${status}`}`)
    if (status >= 300 && status < 500 && ![408, 425, 429].includes(status)) return false
    await backOff.wait(0, signal)
  }
  return false
}

type Signed = { id: string; body: string; secret: string | null; now: number }

/** As webhook channels send them. */
const headersOf = ({ id, body, secret, now }: Signed): Record<string, string> => ({
  'user-agent': 'Watchpost',
  'content-type': 'application/json',
  'x-service-timestamp': String(Math.floor(now)),
  'x-service-notification-id': id,
  ...(secret === null
    ? {}
    : { 'x-service-signature': createHmac('sha256', secret).update(body).digest('hex') }),
})
