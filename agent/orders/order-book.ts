/**
 * The orders that this agent has, in little memory: each as its JSON, packed with others (`packed-texts.ts`) and read when the check runs, beside
 * what says when it is due. Variables, which are alike in most checks of an account, are kept once.
 */
import type { CertificateContent } from '../../protocol/job.ts'
import type { SlotRule, StandingOrder } from '../../protocol/standing-order.ts'
import type { alertLevelOf } from '../../protocol/verdict.ts'
import { createPackedTexts, type KeptText, readText } from './packed-texts.ts'
import { createSlotTable } from './slot-table.ts'

type AlertLevel = ReturnType<typeof alertLevelOf>

type Template = Omit<StandingOrder['job'], 'certificate'>

/** An order whose certificate has been opened: what it was sealed to goes with a process. */
export type KeptOrder = Omit<StandingOrder, 'job'> & {
  job: Template
  certificate: { host: string; content: CertificateContent } | null
}

/** What many orders have alike, as JSON, and how many of them do. */
export type SharedText = { text: string; users: number }

/** `text`: of the order without its variables. `judgedBy` is asked after each run here, for which that would have to be unpacked. */
export type OrderEntry = {
  checkId: string
  /** Its rule's row in the book. */
  slots: number
  muted: boolean
  judgedBy: SharedText
  text: KeptText
  variables: SharedText
  /** Due times up to here have been run here, or are about to be. */
  ranTo: number
  /** The id of the last run that was begun by this order; empty: none was. */
  ranAlone: string
  /** Of its last run here; null: there was none. */
  level: AlertLevel | null
}

export type OrderBook = {
  /** Null: there is no room for it. */
  put(order: KeptOrder): OrderEntry | null
  /** As a journal has it. */
  putText(text: string, variables: string): OrderEntry | null
  get(checkId: string): OrderEntry | undefined
  has(entry: OrderEntry): boolean
  /** Of one that is there. */
  slotsOf(entry: OrderEntry): SlotRule
  remove(checkId: string): boolean
  entries(): IterableIterator<OrderEntry>
  clear(): void
  size(): number
  bytes(): number
}

/** Of all together as they are kept: ten thousand ordinary checks take a fifteenth of it. */
const maxOrderBytes = 64 * 1024 * 1024
/** What an entry takes beside its text. */
const entryBytes = 320

/** Each text once, for as long as an order has it. */
const createSharedTexts = () => {
  const shared = new Map<string, SharedText>()
  let bytes = 0
  return {
    has: (text: string) => shared.has(text),
    share: (text: string): SharedText => {
      const known = shared.get(text) ?? { text, users: 0 }
      if (known.users === 0) bytes += text.length
      known.users += 1
      shared.set(text, known)
      return known
    },
    release: (known: SharedText): void => {
      known.users -= 1
      if (known.users > 0) return
      shared.delete(known.text)
      bytes -= known.text.length
    },
    clear: () => {
      shared.clear()
      bytes = 0
    },
    bytes: () => bytes,
  }
}

export const createOrderBook = (maxBytes = maxOrderBytes): OrderBook => {
  const entries = new Map<string, OrderEntry>()
  const shared = createSharedTexts()
  const slotTable = createSlotTable()
  const texts = createPackedTexts()
  const bytes = () => entries.size * entryBytes + shared.bytes() + texts.bytes()
  const remove = (checkId: string): boolean => {
    const entry = entries.get(checkId)
    if (entry === undefined) return false
    entries.delete(checkId)
    texts.remove(entry.text)
    slotTable.remove(entry.slots)
    for (const text of [entry.variables, entry.judgedBy]) shared.release(text)
    return true
  }
  const add = (
    order: Pick<KeptOrder, 'checkId' | 'slots' | 'muted' | 'judgedBy'>,
    text: string,
    variables: string,
  ) => {
    const { checkId, muted } = order
    const judgedBy = JSON.stringify(order.judgedBy)
    const before = entries.get(checkId)
    remove(checkId)
    const unshared = [variables, judgedBy].filter((one) => !shared.has(one)).join('')
    const more = text.length + entryBytes + unshared.length
    if (bytes() + more > maxBytes) return null
    const stays = {
      ranTo: before?.ranTo ?? 0,
      ranAlone: before?.ranAlone ?? '',
      level: before?.level ?? null,
    }
    const kept = {
      text: texts.add(text),
      variables: shared.share(variables),
      judgedBy: shared.share(judgedBy),
    }
    const entry: OrderEntry = { checkId, slots: slotTable.add(order.slots), muted, ...kept, ...stays }
    entries.set(checkId, entry)
    return entry
  }
  return {
    put: (order) => add(order, textOf(order), JSON.stringify(order.job.variables)),
    putText: (text, variables) => add(JSON.parse(text) as KeptOrder, text, variables),
    get: (checkId) => entries.get(checkId),
    has: (entry) => entries.get(entry.checkId) === entry,
    slotsOf: (entry) => slotTable.read(entry.slots),
    remove,
    entries: () => entries.values(),
    clear: () => {
      entries.clear()
      shared.clear()
      slotTable.clear()
      texts.clear()
    },
    size: () => entries.size,
    bytes,
  }
}

/** How observations of its check are judged. */
export const judgedBy = (entry: OrderEntry): StandingOrder['judgedBy'] => JSON.parse(entry.judgedBy.text)

/** The whole order, read anew. */
export const readOrder = ({ text, variables }: Pick<OrderEntry, 'text' | 'variables'>): KeptOrder => {
  const order = JSON.parse(readText(text)) as KeptOrder
  return { ...order, job: { ...order.job, variables: JSON.parse(variables.text) as Template['variables'] } }
}

const textOf = (order: KeptOrder): string =>
  JSON.stringify({ ...order, job: { ...order.job, variables: [] } })
