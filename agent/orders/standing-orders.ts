/**
 * What this agent runs by itself while it is alone: the orders it has, in memory (`order-book.ts`) and on disk (`journal.ts`), and what is known of
 * them. Each answer to a claim says which revision there is; what differs is fetched.
 *
 * Invariant: orders end so long after the last answer as that said, also where a restart lies between; and at once where the control plane says that
 * there are none, or no longer knows the key.
 */

import type { CertificateContent } from '../../protocol/job.ts'
import type { OrdersKnown, StandingOrder } from '../../protocol/standing-order.ts'
import type { Io } from '../net/io.ts'
import type { Answer } from '../reporting/answer.ts'
import { addedTypes, askedAs, withTypesOf } from './asked-as.ts'
import { fetchOrders, type OrdersPage, type OrdersQuestion } from './fetch-orders.ts'
import { type Journal, openJournal } from './journal.ts'
import type { JournalChange, KnownOfOrders, Told } from './journal-records.ts'
import { createOrderBook, type OrderBook } from './order-book.ts'

export type StandingOrders = {
  book: OrderBook
  /** Null: the agent has never been told of orders, or they have ended. */
  known(): KnownOfOrders | null
  /** A claim was answered. `known` is undefined where the control plane knows no orders. */
  onClaimed(known: OrdersKnown | undefined, serverTime: number): void
  /** The control plane does not know the key. */
  onRefused(): void
  /** Ends what is older than it may be; whether there are orders to act on. */
  areValid(serverNow: number): boolean
  told(): Told
  setTold(told: Told): void
  journalBytes(): number
  /** Resolves when nothing is fetched or written. */
  settled(): Promise<void>
  stop(): void
}

type StandingOrdersOptions = {
  dir: string
  agentId: string
  apiKey: string
  io: Pick<Io, 'clock' | 'log' | 'random'>
  /** What this agent can run as far as it knows. */
  question(): OrdersQuestion
  /** False: it may learn soon that it can run more. */
  isSettled(): boolean
  ask(request: OrdersQuestion & { after: string | null }): Promise<Answer<OrdersPage>>
  openCertificate(sealed: string, checkId: string): CertificateContent
  /** How far the control plane's clock is ahead of this machine's. */
  clockAheadMs(): number
  maxBytes?: number
}

type State = StandingOrdersOptions & {
  book: OrderBook
  journal: Journal
  known: KnownOfOrders | null
  told: Told
  fetching: Promise<void> | null
  stopped: AbortController
  /** Orders there was no room for. */
  left: number
  /** When the disk was last told of an answer, on the monotonic clock. */
  rememberedAt: number
}

/** Agents that learn of a change at one moment do not all ask in that moment. */
const spreadMs = 2000
/** How old what is on disk of the last answer may be: what was run before it is not run again after a restart. A record takes 16 µs of the processor. */
const rememberEveryMs = 1000

const nothingTold: Told = { saidAloneAt: null, checks: [] }

export const createStandingOrders = (options: StandingOrdersOptions): StandingOrders => {
  const book = createOrderBook(options.maxBytes)
  const state: State = {
    ...options,
    book,
    journal: openJournal({
      ...options,
      rest: () => [...(state.known === null ? [] : [{ known: state.known }]), { told: state.told }],
      entries: book.entries,
      has: book.has,
    }),
    known: null,
    told: nothingTold,
    fetching: null,
    stopped: new AbortController(),
    left: 0,
    rememberedAt: Number.NEGATIVE_INFINITY,
  }
  takeOver(state)
  return {
    book,
    known: () => state.known,
    onClaimed: (known, serverTime) => onClaimed(state, known, serverTime),
    onRefused: () => {
      if (state.known !== null) end(state, 'the control plane does not know the key of this agent')
    },
    areValid: (serverNow) => areValid(state, serverNow),
    told: () => state.told,
    setTold: (told) => {
      state.told = told
      state.journal.write([{ told }])
    },
    journalBytes: state.journal.bytes,
    settled: async () => {
      await state.fetching
      await state.journal.settled()
    },
    stop: () => state.stopped.abort(),
  }
}

/** What an earlier process left. */
const takeOver = (state: State): void => {
  const { journal, book, io } = state
  const left = journal.leftBehind
  if (left === null) return
  state.told = left.told ?? nothingTold
  state.known = left.known
  for (const { text, variables } of left.known === null ? [] : left.orders) book.putText(text, variables)
  if (left.known === null) return
  const now = io.clock.now() + left.known.clockAheadMs
  if (areValid(state, now) && book.size() > 0)
    io.log.info(
      `${book.size()} standing orders of an earlier run, last confirmed ${secondsSince(left.known, now)} s ago`,
    )
}

const secondsSince = ({ heardAt }: KnownOfOrders, now: number): number => Math.round((now - heardAt) / 1000)

const areValid = (state: State, serverNow: number): boolean => {
  const { known, book } = state
  if (known === null) return false
  if (serverNow - known.heardAt >= known.holdMs)
    end(state, `nothing has been heard for ${secondsSince(known, serverNow)} s`)
  return book.size() > 0 && known.location !== ''
}

const end = (state: State, why: string): void => {
  const { book, io, journal } = state
  if (book.size() > 0) io.log.warn(`${book.size()} standing orders have ended: ${why}`)
  state.known = null
  book.clear()
  journal.clear()
  if (state.told !== nothingTold) journal.write([{ told: state.told }])
}

const onClaimed = (state: State, now: OrdersKnown | undefined, serverTime: number): void => {
  if (now === undefined || now.revision === null) {
    if (state.known !== null) end(state, 'the control plane gives none any more')
    return
  }
  const { agents, holdMs, secondOwnerAfterMs } = now
  const before = state.known
  const known: KnownOfOrders = {
    ...(before ?? { location: '', revision: null, askedAs: '' }),
    ...{ agents, holdMs, secondOwnerAfterMs },
    heardAt: Math.max(serverTime, before?.heardAt ?? 0),
    clockAheadMs: state.clockAheadMs(),
  }
  state.known = known
  remember(state, before)
  if (state.fetching !== null) return
  const question = questionOf(state)
  if (now.revision !== known.revision || askedAs(question) !== known.askedAs)
    state.fetching = fetchChanges(state, question).finally(() => {
      state.fetching = null
    })
}

/** Each answer is heard, and few of them are worth the disk's time. */
const remember = (state: State, before: KnownOfOrders | null): void => {
  const { known, io, journal } = state
  if (known === null || known.revision === null) return
  const now = io.clock.monotonic()
  const isNews = before === null || !sameOwners(before, known)
  if (!isNews && now - state.rememberedAt < rememberEveryMs) return
  state.rememberedAt = now
  journal.write([{ known }])
}

const sameOwners = (a: KnownOfOrders, b: KnownOfOrders): boolean =>
  a.holdMs === b.holdMs &&
  a.secondOwnerAfterMs === b.secondOwnerAfterMs &&
  a.agents.join() === b.agents.join()

const fetchChanges = async (state: State, question: OrdersQuestion): Promise<void> => {
  const { io, known, stopped, book } = state
  await io.clock.sleep(io.random() * spreadMs, stopped.signal)
  const isSame = known?.askedAs === askedAs(question)
  /** Only their orders travel; what else is new is known by the revision, which stays what it was. */
  const added = known === null || known.revision === null ? [] : addedTypes(known.askedAs, question)
  const asked = added.length === 0 ? question : { ...question, checkTypes: added }
  /** Orders that no page of a whole set has brought; null: it is not one. */
  let unseen: Set<string> | null = null
  state.left = 0
  const fetched = await fetchOrders({
    revision: isSame ? known.revision : null,
    ask: (after) => state.ask({ ...asked, after }),
    onPage: (page) => {
      if (state.known === null) return
      if (page.whole && added.length === 0)
        unseen = new Set([...book.entries()].map(({ checkId }) => checkId))
      for (const { checkId } of page.valid) unseen?.delete(checkId)
      takePage(state, page)
    },
    signal: stopped.signal,
  })
  if (fetched === null || state.known === null) return
  const gone = [...((unseen ?? new Set()) as Set<string>)].filter(book.remove)
  const { location } = fetched
  const revision = added.length === 0 ? fetched.revision : state.known.revision
  state.known = { ...state.known, location, revision, askedAs: askedAs(question) }
  state.journal.write([...gone.map((remove) => ({ remove })), { known: state.known }])
  if (state.left > 0)
    io.log.error(
      `no room for ${state.left} standing orders: their checks do not run here while the control plane is away`,
    )
  io.log.info(`${book.size()} standing orders for when the control plane is away`)
}

/** What an earlier process could run is not given up before it is known that this one cannot. */
const questionOf = ({ question, isSettled, known }: State): OrdersQuestion => {
  const now = question()
  return isSettled() || known === null ? now : withTypesOf(known.askedAs, now)
}

const takePage = (state: State, page: OrdersPage & { valid: StandingOrder[]; problems: string[] }): void => {
  const { book, io } = state
  if (state.known !== null) state.known = { ...state.known, location: page.location }
  for (const problem of page.problems) io.log.error(`a standing order cannot be read: ${problem}`)
  const changes: JournalChange[] = page.removed.filter(book.remove).map((remove) => ({ remove }))
  for (const order of page.valid) {
    const wasThere = book.get(order.checkId) !== undefined
    const entry = put(state, order)
    if (entry !== null) changes.push({ put: entry })
    // An older one is not the check any more.
    else if (wasThere) changes.push({ remove: order.checkId })
  }
  state.journal.write(changes)
}

const put = (state: State, { job, ...order }: StandingOrder): ReturnType<OrderBook['put']> => {
  const { certificate: sealed, ...rest } = job
  try {
    const certificate =
      sealed === undefined
        ? null
        : { host: sealed.host, content: state.openCertificate(sealed.sealed, order.checkId) }
    const entry = state.book.put({ ...order, job: rest, certificate })
    if (entry === null) state.left += 1
    return entry
  } catch (error) {
    state.io.log.error(`a standing order cannot be used: ${error instanceof Error ? error.message : error}`)
    state.book.remove(order.checkId)
    return null
  }
}
