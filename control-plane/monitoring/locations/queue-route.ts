/** One number for autoscalers, such as KEDA's metrics-api scaler (docs/monitoring/README.md). */
import { Type } from 'typebox'
import { route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { findPrivateLocation } from './queries.ts'
import { jobQueues, maxCounted, runningInQueue, waitingInQueue } from './queue-queries.ts'
import { LocationId } from './schema.ts'

const QueueQuery = Type.Object(
  {
    queue: Type.Optional(
      Type.Enum([...jobQueues], {
        description:
          '`uptime`: protocol checks; `main`: browser and multi-step checks and suites. Both without it',
      }),
    ),
    includeRunning: Type.Boolean({
      default: false,
      description: 'Adds the jobs that agents run now, so that no agent is taken away while it works',
    }),
  },
  { additionalProperties: false },
)

const LocationQueue = Type.Object(
  {
    queueSize: Type.Integer({
      minimum: 0,
      description: `Runs that are due and wait for an agent; those that are planned ahead do not count. At most ${maxCounted} of each queue`,
    }),
  },
  { title: 'PrivateLocationQueue' },
)

export const queueRoute = route({
  method: 'GET',
  path: '/v1/private-locations/:id/queue',
  access: 'READ_ONLY',
  tag: 'Private locations',
  summary: "The size of a location's queue now",
  description: "One number for autoscalers, such as KEDA's metrics-api scaler.",
  params: LocationId,
  query: QueueQuery,
  status: 200,
  response: LocationQueue,
  example: {
    params: { id: '5d7c1b9a-44f0-4b0e-9c3a-1f6f4c1d2e33' },
    query: { includeRunning: false },
    response: { queueSize: 3 },
  },
  handle: async ({ params, query, principal }, app) => {
    const row = await app.db.get(findPrivateLocation, { id: params.id, accountId: principal.accountId })
    if (!row) throw notFound()
    let queueSize = 0
    for (const queue of query.queue === undefined ? jobQueues : [query.queue]) {
      const counted = { location: row.id, queue, now: app.clock.now() }
      queueSize += (await app.db.get(waitingInQueue, counted))?.jobs ?? 0
      if (query.includeRunning) queueSize += (await app.db.get(runningInQueue, counted))?.jobs ?? 0
    }
    return { queueSize }
  },
})
