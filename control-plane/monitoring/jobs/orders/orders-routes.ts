/** Where agents fetch their standing orders (protocol/standing-order.ts), and what the answer to a claim says of them. */
import type { ClaimRequest } from '../../../../protocol/agent-api.ts'
import {
  type OrdersKnown,
  OrdersRequest,
  OrdersResponse,
  orderPaths,
} from '../../../../protocol/standing-order.ts'
import { agentKey } from '../../../access/api-keys/agent-key.ts'
import type { App } from '../../../platform/app/app.ts'
import { refuseNewerStore } from '../../../platform/app/newer-store.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import { type Route, route } from '../../../platform/web/http/route.ts'
import { invalid, violation } from '../../../platform/words/errors.ts'
import { canSealTo } from '../../definitions/client-certificates/can-seal-to.ts'
import type { HasTags } from '../../schedule/pauses-of-checks.ts'
import { noteHolder, recentHolders } from './order-holders.ts'
import type { HasStandingOrders } from './order-settings.ts'
import { ordersPage } from './orders-page.ts'
import { recentRevision, writeRevision } from './orders-revision.ts'
import type { Scope } from './scoped-query.ts'

const noOrders: OrdersKnown = { revision: null, agents: [], holdMs: 0, secondOwnerAfterMs: null }

type Claimer = Scope & { location: string; agent: ClaimRequest }

/** For an agent that keeps orders; undefined for others. */
export const ordersKnown = async (
  app: App & HasStandingOrders,
  { accountId, location, agent }: Claimer,
): Promise<OrdersKnown | undefined> => {
  if (agent.orders === undefined) return undefined
  const { holdMs, secondOwnerAfterMs } = app.config.standingOrders
  if (holdMs === 0) return noOrders
  await noteHolder(app, { location, agentId: agent.agentId, revision: agent.orders.revision })
  const revision = writeRevision(await recentRevision(app, { accountId }))
  return { revision, agents: await recentHolders(app, location), holdMs, secondOwnerAfterMs }
}

const orders = route({
  method: 'POST',
  path: orderPaths.orders,
  access: agentKey,
  tag: 'Agents',
  summary: 'What is new in the standing orders of the location, a page at a time',
  body: OrdersRequest,
  status: 200,
  response: OrdersResponse,
  handle: async ({ body, principal }, app: App & HasCipher & HasStandingOrders & HasTags) => {
    const { locationId: location, accountId } = principal
    if (body.sealTo !== undefined && !canSealTo(body.sealTo))
      throw invalid([violation('sealTo', 'key', 'is not an X25519 public key that can be sealed to')])
    await refuseNewerStore(app.db)
    return { ...(await ordersPage(app, { accountId, location, request: body })), serverTime: app.clock.now() }
  },
})

export const orderRoutes: Route<App & HasCipher & HasStandingOrders & HasTags>[] = [orders]
