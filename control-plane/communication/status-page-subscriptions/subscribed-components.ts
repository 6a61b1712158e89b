/**
 * Of what on its page a subscription is told: groups and services by their ids; none: of everything. An id stays where what it names has left the page:
 * whoever chose that alone has not asked for everything.
 */
import type { ExpressionBuilder } from 'kysely'
import { Type } from 'typebox'
import type { Engine } from '../../platform/store/database/engines.ts'
import { storedList } from '../../platform/store/database/stored-doc.ts'
import type { StatusPageSubscriptionsTable } from '../../platform/store/database/tables/status-pages.ts'
import type { Tables } from '../../platform/store/database/tables.ts'

/** What the form of a page offers, and takes: so many ids and an address are a body as strangers may send it. */
export const mostChosen = 60

export const componentsDoc = storedList({ name: 'components of a subscription', items: Type.String() })

/** The subscription `s` asked for something that touches one of these services, or for everything. What touches no service of the page concerns everybody. */
export const isConcerned =
  (engine: Engine, serviceIds: readonly string[]) =>
  (at: ExpressionBuilder<Tables & { s: StatusPageSubscriptionsTable }, 's'>) => {
    const touched = at
      .selectFrom('status_page_card_services as shown')
      .select('shown.service_id')
      .whereRef('shown.status_page_id', '=', 's.status_page_id')
      .where('shown.service_id', 'in', engine.textList(serviceIds))
    const chosen = engine.textList(at.ref('s.components'))
    return at.or([
      at('s.components', '=', '[]'),
      at.not(at.exists(touched)),
      at.exists(
        touched.where((of) =>
          of.or([of('shown.service_id', 'in', chosen), of('shown.card_id', 'in', chosen)]),
        ),
      ),
    ])
  }
