import { type Static, Type } from 'typebox'
import { healthOfGroups } from '../../../alerting/engine/group-health-queries.ts'
import { type GroupState, groupStates } from '../../../alerting/engine/group-verdict.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { type Route, route } from '../../../platform/web/http/route.ts'
import { notFound } from '../../../platform/words/errors.ts'
import { toIso } from '../../../platform/words/shapes/instants.ts'
import { nullable } from '../../../platform/words/shapes/nullable.ts'
import { findGroup } from '../../definitions/check-groups/queries.ts'
import { GroupId } from '../../definitions/check-groups/schema.ts'

const CheckGroupHealth = Type.Object(
  {
    groupId: Type.Integer(),
    state: nullable(Type.Enum([...groupStates]), {
      description:
        'null: the group has no `groupHealth`; `unknown`: none of its checks counts now, since all are silenced or not run yet',
    }),
    since: nullable(Type.String({ format: 'date-time' }), { description: 'Since when it is in this state' }),
    failing: Type.Integer({ description: 'Checks that fail, of those that count' }),
    counted: Type.Integer({ description: 'Active checks that count: known, not muted, not in maintenance' }),
    isTold: Type.Boolean({
      description: 'People were told that the group fails, and not yet that it recovered',
    }),
  },
  { title: 'CheckGroupHealth' },
)
export type CheckGroupHealth = Static<typeof CheckGroupHealth>

/** Of those that have a health of their own. */
export const readGroupHealth = async (
  db: Db,
  accountId: string,
  ids: readonly number[],
): Promise<Map<number, CheckGroupHealth>> =>
  new Map(
    (await healthOfGroups(db, accountId, ids)).map(
      ({ group_id: groupId, state, since, told, failing, counted }) => [
        groupId,
        {
          groupId,
          state: state as GroupState,
          since: toIso(since),
          failing,
          counted,
          isTold: told !== null,
        },
      ],
    ),
  )

const read = route({
  method: 'GET',
  path: '/v1/check-groups/:id/health',
  access: 'READ_ONLY',
  tag: 'Check groups',
  summary: 'Whether a group is failing as a whole',
  description: 'By its `groupHealth`; as it was when one of its checks last told something, or a minute ago.',
  params: GroupId,
  status: 200,
  response: CheckGroupHealth,
  example: {
    params: { id: '7' },
    response: {
      groupId: 7,
      state: 'failing',
      since: '2026-01-01T00:00:00.000Z',
      failing: 3,
      counted: 5,
      isTold: true,
    },
  },
  handle: async ({ params: { id }, principal: { accountId } }, { db }): Promise<CheckGroupHealth> => {
    if ((await db.get(findGroup, { id, accountId })) === undefined) throw notFound()
    const none = { groupId: id, state: null, since: null, failing: 0, counted: 0, isTold: false }
    return (await readGroupHealth(db, accountId, [id])).get(id) ?? none
  },
})

export const groupHealthRoutes: Route[] = [read]
