/**
 * Watches whether the control plane answers, and tells when this agent is alone and when it no longer is. While nothing is heard and an
 * order is due soon, the control plane is asked for a sign of life: a poll for jobs may wait for most of a minute, and a connection
 * that is cut off says nothing.
 */
import type { Io } from '../net/io.ts'
import {
  afterAnswer,
  afterClaim,
  afterFailedClaim,
  aloneAt,
  type Contact,
  firstContact,
  looked,
  silentAfterMs,
} from './contact.ts'

export type ContactWatch = {
  start(): void
  /** The control plane has answered `call`; `serverTime` is its clock. */
  heard(call: string, serverTime: number): void
  claimFailed(): void
  /** Null: it is not alone. */
  aloneSince(): number | null
  /** Since when nothing has been heard, on the monotonic clock. */
  heardAt(): number
  stop(): void
}

type ContactOptions = {
  io: Pick<Io, 'clock'>
  /** How long the last answer was ago when this process began, and the control plane's clock at that answer; null: there was none. */
  before: { agoMs: number; serverTime: number } | null
  serverNow(): number
  needsSigns(): boolean
  /** Asks the control plane for nothing: whatever comes of it is heard elsewhere. */
  askForSign(): Promise<unknown>
  /** Claims fail, and yet the control plane answers. */
  onAnswerBetween(): void
  onAlone(knownTo: number): void
  onBack(): void
}

type WatchState = ContactOptions & {
  contact: Contact
  asking: boolean
  cancel: (() => void) | null
  stopped: boolean
}

/** An agent that starts while the control plane is away shall not wait for as long as one that was just answered. */
const firstPatienceMs = 10_000

export const watchContact = (options: ContactOptions): ContactWatch => {
  const { io, before, serverNow } = options
  const agoMs = Math.min(before?.agoMs ?? 0, firstPatienceMs)
  const state: WatchState = {
    ...options,
    contact: firstContact(io.clock.monotonic() - agoMs, before?.serverTime ?? serverNow()),
    asking: false,
    cancel: null,
    stopped: false,
  }
  return {
    start: () => look(state),
    heard: (call, serverTime) => heard(state, call, serverTime),
    claimFailed: () => {
      state.contact = afterFailedClaim(state.contact)
    },
    aloneSince: () => state.contact.aloneSince,
    heardAt: () => state.contact.heardAt,
    stop: () => {
      state.stopped = true
      state.cancel?.()
    },
  }
}

const heard = (state: WatchState, call: string, serverTime: number): void => {
  const answered = { at: state.io.clock.monotonic(), serverTime }
  const wasAlone = state.contact.aloneSince !== null
  if (call === 'claim') {
    state.contact = afterClaim(state.contact, answered)
    if (wasAlone) state.onBack()
    // Its timer is not for what it waits for now.
    if (wasAlone && !state.stopped) look(state)
  } else {
    if (state.contact.areClaimsFailing) state.onAnswerBetween()
    state.contact = afterAnswer(state.contact, answered)
  }
}

const look = (state: WatchState): void => {
  state.cancel?.()
  const now = state.io.clock.monotonic()
  const before = state.contact
  // A poll for jobs is silent for longer than that, and nobody asks for a sign of life where nothing would be done alone: patience begins
  // with the first question.
  const isUnasked = !state.needsSigns() && !before.areClaimsFailing
  state.contact = isUnasked
    ? { ...before, heardAt: Math.max(before.heardAt, now - silentAfterMs) }
    : looked(before, now)
  const { aloneSince, heardAt, knownTo } = state.contact
  if (before.aloneSince === null && aloneSince !== null) state.onAlone(knownTo)
  if (aloneSince !== null) return
  const silentMs = now - heardAt
  if (silentMs >= silentAfterMs) ask(state)
  const nextAt = isUnasked
    ? now + silentAfterMs
    : silentMs < silentAfterMs
      ? heardAt + silentAfterMs
      : aloneAt(state.contact)
  state.cancel = state.io.clock.at(Math.max(1, Math.ceil(nextAt - now)), () => look(state))
}

const ask = async (state: WatchState): Promise<void> => {
  if (state.asking || state.stopped || !state.needsSigns()) return
  state.asking = true
  await state.askForSign()
  state.asking = false
}
