import { query } from '../../platform/store/database/query.ts'

type Follow = { accountId: string; planeId: string; until: number }

export const upsertFollow = query('upsert-exporter-follow', (k, p: Follow) =>
  k
    .insertInto('exporter_follows')
    .values({ account_id: p.accountId, plane_id: p.planeId, followed_until: p.until })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'plane_id']).doUpdateSet({ followed_until: p.until }),
    ),
)

export const deleteOldFollows = query('delete-old-exporter-follows', (k, p: { now: number }) =>
  k.deleteFrom('exporter_follows').where('followed_until', '<', p.now),
)

export const followsOfOthers = query('exporter-follows-of-others', (k, p: { planeId: string }) =>
  k.selectFrom('exporter_follows').select('account_id').distinct().where('plane_id', '<>', p.planeId),
)

type NewRuns = { id: string; planeId: string; now: number; doc: string }

export const insertRuns = query('insert-exporter-runs', (k, p: NewRuns) =>
  k.insertInto('exporter_runs').values({ id: p.id, plane_id: p.planeId, created_at: p.now, doc: p.doc }),
)

export const runsOfOthers = query('exporter-runs-of-others', (k, p: { planeId: string; from: number }) =>
  k
    .selectFrom('exporter_runs')
    .select(['id', 'created_at', 'doc'])
    .where('created_at', '>=', p.from)
    .where('plane_id', '<>', p.planeId)
    .orderBy('created_at'),
)

export const deleteOldRuns = query('delete-old-exporter-runs', (k, p: { before: number }) =>
  k.deleteFrom('exporter_runs').where('created_at', '<', p.before),
)
