/** What a journal of orders says, record by record, and what is left of it in the end. Pure. */
import type { ToldMeanwhile } from '../../protocol/standing-order.ts'
import type { OrderEntry, SharedText } from './order-book.ts'

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

type StoredOrder = { text: Buffer; variables: string }
export type JournalContent = { known: KnownOfOrders | null; told: Told | null; orders: StoredOrder[] }

const separator = '\n'

/** `shared`: numbers of the variables that the file has by now; it is added to. */
export const recordsOf = (change: JournalChange, shared: Map<SharedText, number>): Buffer[] => {
  if ('remove' in change) return [Buffer.from(`r${change.remove}`)]
  if ('known' in change) return [Buffer.from(`k${JSON.stringify(change.known)}`)]
  if ('told' in change) return [Buffer.from(`t${JSON.stringify(change.told)}`)]
  const { text, variables } = change.put
  const known = shared.get(variables)
  const number = known ?? shared.size
  shared.set(variables, number)
  const order = Buffer.concat([Buffer.from(`o${number}${separator}`), text])
  return known === undefined ? [Buffer.from(`v${variables.text}`), order] : [order]
}

/** Records in the order of writing. */
export const contentOf = (records: readonly Buffer[]): JournalContent => {
  const content: Omit<JournalContent, 'orders'> = { known: null, told: null }
  const orders = new Map<string, StoredOrder>()
  const variables: string[] = []
  for (const record of records) {
    const kind = String.fromCharCode(record[0] ?? 0)
    const rest = record.subarray(1)
    if (kind === 'v') variables.push(rest.toString())
    else if (kind === 'r') orders.delete(rest.toString())
    else if (kind === 'k') content.known = JSON.parse(rest.toString()) as KnownOfOrders
    else if (kind === 't') content.told = JSON.parse(rest.toString()) as Told
    else if (kind === 'o') {
      const at = rest.indexOf(separator)
      const text = Buffer.from(rest.subarray(at + 1))
      const { checkId } = JSON.parse(text.toString()) as { checkId: string }
      orders.set(checkId, { text, variables: variables[Number(rest.subarray(0, at))] ?? '[]' })
    }
  }
  return { ...content, orders: [...orders.values()] }
}
