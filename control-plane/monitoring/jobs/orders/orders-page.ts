/**
 * A page of what is new in the orders of a location, or of all of them: a few at a time, so that nothing else waits for it.
 * What the agent cannot run is no order of its own.
 */
import { playwrightTypes } from '../../../../protocol/check-type.ts'
import { textLength } from '../../../../protocol/job.ts'
import type { OrdersRequest, OrdersResponse, StandingOrder } from '../../../../protocol/standing-order.ts'
import { removalsKeptMs } from '../../../access/changes/retention.ts'
import { accountsWithWindows } from '../../../communication/maintenance-windows/window-plans.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { SchedulesTable } from '../../../platform/store/database/tables/runs.ts'
import { type HasTags, pausesOfChecks } from '../../schedule/pauses-of-checks.ts'
import { assembleOrders } from './assemble-orders.ts'
import { candidates } from './order-candidates.ts'
import type { HasStandingOrders } from './order-settings.ts'
import { type OrdersCursor, readCursor, writeCursor } from './orders-cursor.ts'
import {
  type Revision,
  readRevision,
  readRevisionText,
  type Touched,
  touchedSince,
  writeRevision,
} from './orders-revision.ts'
import type { Scope } from './scoped-query.ts'
import { slotRuleOf } from './slot-rule.ts'

const checksPerLook = 200
/** Where few checks are the agent's, a page would hold nothing, and its request be most of the work. */
const looksPerPage = 10
const maxPageLength = 1024 * 1024

type OrdersApp = App & HasCipher & HasStandingOrders & HasTags

type Asker = Scope & { location: string; request: OrdersRequest }

export const ordersPage = async (
  app: OrdersApp,
  { accountId, location, request }: Asker,
): Promise<Omit<OrdersResponse, 'serverTime'>> => {
  const cursor = await beginningOf(app, { accountId }, request.after)
  const { since, until, afterId } = cursor
  const touched = since === null ? null : await touchedBy(app, { accountId }, { since, until })
  const { ours, endedAt } =
    touched !== null && touched.checkIds.length + touched.accountIds.length === 0
      ? { ours: [], endedAt: undefined }
      : await lookFor(app, { accountId, location, request }, { touched, afterId })
  const orders = await ordersFor(app, { location, request }, ours)
  const { taken, cutAt } = withinPage(orders)
  const lastId = cutAt ?? endedAt
  const kept = new Set(taken.map(({ checkId }) => checkId))
  const removed = (touched?.checkIds ?? []).filter(
    (id) => id > afterId && (lastId === undefined || id <= lastId) && !kept.has(id),
  )
  return {
    location,
    whole: since === null && afterId === '',
    orders: taken,
    removed,
    next: lastId === undefined ? null : writeCursor({ since, until, afterId: lastId }),
    revision: writeRevision(until),
  }
}

/** From what the agent has to what there is now; all of it, where what it has is not known any more. */
const beginningOf = async (
  app: OrdersApp,
  scope: Scope,
  after: OrdersRequest['after'],
): Promise<OrdersCursor> => {
  const page = after === null ? null : readCursor(after)
  if (page !== null) return page
  const until = await readRevision(app.db, app, scope)
  const had = after === null ? null : readRevisionText(after)
  // Of a store that was restored since, or so old that what is gone since is forgotten.
  const isKnown = had !== null && had.newest <= until.newest && had.newest >= app.clock.now() - removalsKeptMs
  return { since: isKnown ? had : null, until, afterId: '' }
}

const touchedBy = async (
  app: OrdersApp,
  scope: Scope,
  { since, until }: { since: Revision; until: Revision },
): Promise<Touched> => {
  const touched = await touchedSince(app.db, scope, since)
  if (since.epoch === until.epoch) return touched
  const paused = await accountsWithWindows(app.db, app.clock.now())
  const ours = scope.accountId === null ? paused : paused.filter((id) => id === scope.accountId)
  return { ...touched, accountIds: [...touched.accountIds, ...ours] }
}

/** What the agent can run here, of as many checks as one page may look at. `endedAt`: the last of them, where there may be more. */
const lookFor = async (
  app: OrdersApp,
  { accountId, location, request }: Asker,
  { touched, afterId }: { touched: Touched | null; afterId: string },
): Promise<{ ours: SchedulesTable[]; endedAt: string | undefined }> => {
  const ours: SchedulesTable[] = []
  let endedAt: string | undefined = afterId
  for (let look = 0; look < looksPerPage && ours.length < checksPerLook && endedAt !== undefined; look += 1) {
    const found = await candidates(app, { accountId, touched, afterId: endedAt, limit: checksPerLook })
    ours.push(...found.filter((one) => canRun(request, one) && slotRuleOf(one, location, [])))
    endedAt = found.length === checksPerLook ? found.at(-1)?.check_id : undefined
  }
  return { ours, endedAt }
}

const ordersFor = async (
  app: OrdersApp,
  { location, request }: Pick<Asker, 'location' | 'request'>,
  ours: readonly SchedulesTable[],
): Promise<StandingOrder[]> => {
  if (ours.length === 0) return []
  const now = app.clock.now()
  const until = now + 2 * app.config.standingOrders.holdMs
  const pauses = await pausesOfChecks(app, ours, { from: now, to: until })
  const due = ours.flatMap((schedule) => {
    const slots = slotRuleOf(schedule, location, pauses.get(schedule.check_id) ?? [])
    return slots === null ? [] : [{ schedule, slots }]
  })
  return assembleOrders(app, due, { location, sealTo: request.sealTo })
}

/** As jobs are claimed (runs/claim-jobs.ts). */
const canRun = (
  { checkTypes, runtimeIds, playwrightRuntimeIds = runtimeIds }: OrdersRequest,
  { check_type: type, runtime_id: runtime }: SchedulesTable,
): boolean => {
  if (!checkTypes.some((one) => one === type)) return false
  const needsPlaywright = playwrightTypes.some((one) => one === type)
  const offered = needsPlaywright ? playwrightRuntimeIds : [...runtimeIds, ...playwrightRuntimeIds]
  return runtime === null || offered.some((one) => one === runtime)
}

/** The first orders that fit into a page, at least one. `cutAt`: the check of the last, where there are more. */
const withinPage = (orders: StandingOrder[]): { taken: StandingOrder[]; cutAt: string | null } => {
  let room = maxPageLength
  let count = 0
  for (const order of orders) {
    room -= textLength(order)
    if (room < 0 && count > 0)
      return { taken: orders.slice(0, count), cutAt: orders[count - 1]?.checkId ?? null }
    count += 1
  }
  return { taken: orders, cutAt: null }
}
