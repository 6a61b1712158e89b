/** Brings what the agent has up to the control plane's revision, page by page. */
import type { Clock } from '../../protocol/clock.ts'
import type { OrdersRequest, OrdersResponse } from '../../protocol/standing-order.ts'
import { StandingOrder } from '../../protocol/standing-order.ts'
import { compile } from '../../protocol/validate.ts'
import type { Answer } from '../reporting/answer.ts'

/** Orders are validated one by one: one that cannot be read costs the others nothing. */
export type OrdersPage = Omit<OrdersResponse, 'orders'> & { orders: unknown[] }

type FetchOptions = {
  /** Of what the agent has; null: nothing, or what another question had brought. */
  revision: string | null
  ask(after: string | null): Promise<Answer<OrdersPage>>
  onPage(page: OrdersPage & { valid: StandingOrder[]; problems: string[] }): void
  clock: Pick<Clock, 'monotonic' | 'sleep'>
  signal: AbortSignal
}

type Fetched = { revision: string; location: string }

/** More pages than of the most orders that there may be: a control plane that never ends is no reason never to end. */
const maxPages = 2000

/** Orders are for later, and runs for now: so many times as long as a page took, the agent does something else. */
const restShare = 29

const validateOrder = compile(StandingOrder)

/** Null: the control plane did not answer, or not to the end. What has come is kept: asked again, it comes again. */
export const fetchOrders = async ({
  revision,
  ask,
  onPage,
  clock,
  signal,
}: FetchOptions): Promise<Fetched | null> => {
  let after = revision
  for (let count = 0; count < maxPages && !signal.aborted; count += 1) {
    const answer = await ask(after)
    if (!answer.ok || signal.aborted) return null
    const page = answer.value
    const begunAt = clock.monotonic()
    onPage({ ...page, ...validOnes(page.orders) })
    if (page.next === null) return { revision: page.revision, location: page.location }
    after = page.next
    await clock.sleep(restShare * (clock.monotonic() - begunAt), signal)
  }
  return null
}

const validOnes = (orders: readonly unknown[]): { valid: StandingOrder[]; problems: string[] } => {
  const checked = orders.map((order) => validateOrder(order))
  return {
    valid: checked.flatMap((one) => (one.ok ? [one.value] : [])),
    problems: checked.flatMap((one) => (one.ok ? [] : [one.violations[0]?.message ?? 'it is not valid'])),
  }
}

export type OrdersQuestion = Omit<OrdersRequest, 'after'>
