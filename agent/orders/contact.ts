/**
 * Whether this agent is alone: the control plane has not answered for longer than it hands out runs ahead of their time. A poll for jobs
 * waits for long while all is well, so that other answers count as well, unless polls fail: whoever answers everything else but hands
 * out no jobs does not plan for this agent. Pure.
 *
 * `at` are on the monotonic clock; `knownTo` is on the control plane's: until then it has handed out whatever was due.
 */
export type Contact = {
  heardAt: number
  knownTo: number
  areClaimsFailing: boolean
  /** Since when; null: it is not. */
  aloneSince: number | null
}

/** Jobs are handed out 10 s ahead, and an answer may take its time. */
export const aloneAfterMs = 15_000
/** After so long without an answer the control plane is asked for a sign of life. */
export const silentAfterMs = 6000
/** A slot is planned and read a moment before the answer that says when that was. */
const knownMarginMs = 1000

export const firstContact = (at: number, knownTo: number): Contact => ({
  heardAt: at,
  knownTo,
  areClaimsFailing: false,
  aloneSince: null,
})

type Answered = { at: number; serverTime: number }

/** A claim was answered: that alone ends being alone. */
export const afterClaim = (_: Contact, { at, serverTime }: Answered): Contact => ({
  heardAt: at,
  knownTo: serverTime - knownMarginMs,
  areClaimsFailing: false,
  aloneSince: null,
})

export const afterFailedClaim = (contact: Contact): Contact => ({ ...contact, areClaimsFailing: true })

/** Any other call was answered. */
export const afterAnswer = (contact: Contact, { at, serverTime }: Answered): Contact =>
  contact.areClaimsFailing || contact.aloneSince !== null
    ? contact
    : { ...contact, heardAt: at, knownTo: Math.max(contact.knownTo, serverTime - knownMarginMs) }

/** When it is alone, if nothing is heard until then. */
export const aloneAt = ({ heardAt }: Contact): number => heardAt + aloneAfterMs

export const looked = (contact: Contact, at: number): Contact =>
  contact.aloneSince === null && at >= aloneAt(contact) ? { ...contact, aloneSince: at } : contact
