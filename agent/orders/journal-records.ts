/** What a journal of orders says, record by record, and what is left of it in the end. Pure. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { ToldMeanwhile } from '../../protocol/standing-order.ts'
import type { OrderEntry, SharedText } from './order-book.ts'
import { readText } from './packed-texts.ts'

/**
 * What is known beside the orders. `revision`: null while a first set has not come whole. `heardAt`: of the last answer; `clockAheadMs`: how far the
 * control plane's clock is ahead of this machine's. `askedAs`: what the agent could run when it asked.
 */
export type KnownOfOrders = {
  location: string
  revision: string | null
  askedAs: string
  agents: readonly string[]
  holdMs: number
  secondOwnerAfterMs: number | null
  heardAt: number
  clockAheadMs: number
}

/** `saidAloneAt`: when FALLBACK_WEBHOOK_URL was told that the control plane is away; null: it was not. */
export type Told = { saidAloneAt: number | null; checks: ToldMeanwhile[] }

export type JournalChange =
  | { put: OrderEntry }
  | { remove: string }
  | { known: KnownOfOrders }
  | { told: Told }

type StoredOrder = { text: string; variables: string }
export type JournalContent = { known: KnownOfOrders | null; told: Told | null; orders: StoredOrder[] }

/**
 * Changes that are written together, as one record: a line each, its kind the first letter. JSON has no line breaks.
 * `shared`: numbers of the variables that the file has by now; it is added to.
 */
export const recordOf = (changes: readonly JournalChange[], shared: Map<SharedText, number>): Buffer =>
  packed(Buffer.from(changes.flatMap((change) => linesOf(change, shared)).join('\n')))

const linesOf = (change: JournalChange, shared: Map<SharedText, number>): string[] => {
  if ('remove' in change) return [`r${JSON.stringify(change.remove)}`]
  if ('known' in change) return [`k${JSON.stringify(change.known)}`]
  if ('told' in change) return [`t${JSON.stringify(change.told)}`]
  const { text, variables } = change.put
  const known = shared.get(variables)
  const number = known ?? shared.size
  shared.set(variables, number)
  const order = `o${number} ${readText(text)}`
  return known === undefined ? [`v${variables.text}`, order] : [order]
}

/** Below that it is not worth the time. */
const packedFrom = 4096
const params = { [constants.ZSTD_c_compressionLevel]: 1 }
/** What compressed data begins with (RFC 8878), and no line does. */
const mark = Buffer.from('28b52ffd', 'hex')

const packed = (lines: Buffer): Buffer =>
  lines.length < packedFrom ? lines : zstdCompressSync(lines, { params })

const unpacked = (record: Buffer): string =>
  (record.subarray(0, mark.length).equals(mark) ? zstdDecompressSync(record) : record).toString()

/** Records in the order of writing. */
export const contentOf = (records: readonly Buffer[]): JournalContent => {
  const content: Omit<JournalContent, 'orders'> = { known: null, told: null }
  const orders = new Map<string, StoredOrder>()
  const variables: string[] = []
  for (const line of records.flatMap((record) => unpacked(record).split('\n'))) {
    const kind = line.charAt(0)
    const rest = line.slice(1)
    if (kind === 'v') variables.push(rest)
    else if (kind === 'r') orders.delete(JSON.parse(rest) as string)
    else if (kind === 'k') content.known = JSON.parse(rest) as KnownOfOrders
    else if (kind === 't') content.told = JSON.parse(rest) as Told
    else if (kind === 'o') {
      const at = rest.indexOf(' ')
      const text = rest.slice(at + 1)
      const { checkId } = JSON.parse(text) as { checkId: string }
      orders.set(checkId, { text, variables: variables[Number(rest.slice(0, at))] ?? '[]' })
    }
  }
  return { ...content, orders: [...orders.values()] }
}
