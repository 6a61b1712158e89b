import { Type } from 'typebox'
import type { HasProviders } from '../../alerting/channels/providers.ts'
import type { App } from '../../platform/app/app.ts'
import {
  offsetOf,
  pageParameters,
  pageReply,
  searchParameter,
} from '../../platform/web/http/answers/offset-page.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { silentChecks } from './silent-checks.ts'
import { SilentCheck, silentReasons } from './silent-schema.ts'

const example: SilentCheck = {
  checkId: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
  name: 'Home page',
  groupId: null,
  severity: 'NORMAL',
  reason: 'QUIET_HOURS',
  by: null,
  because: null,
  since: null,
  until: '2026-01-01T07:00:00.000Z',
  alertChannelIds: [7],
}

const list = route({
  method: 'GET',
  path: '/v1/silent-checks',
  access: 'READ_ONLY',
  tag: 'Checks',
  summary: 'Checks that nobody would be told of if they failed now, and why',
  description: 'Oldest check first; of several reasons the first one in the order of `reason`.',
  query: Type.Object(
    {
      ...pageParameters,
      ...searchParameter('the name of the check'),
      reason: Type.Optional(
        Type.Enum([...silentReasons], { description: 'Only those that are silent for it' }),
      ),
    },
    { additionalProperties: false },
  ),
  rateLimit: { requests: 10, seconds: 10 },
  status: 200,
  response: Type.Array(SilentCheck),
  example: { query: { limit: 20, reason: 'QUIET_HOURS' }, response: [example] },
  handle: async ({ query, principal: { accountId } }, app: App & HasProviders) => {
    const sought = query.search?.trim().toLowerCase() ?? ''
    const found = (await silentChecks(app, accountId)).filter(
      ({ name, reason }) =>
        (query.reason === undefined || reason === query.reason) && name.toLowerCase().includes(sought),
    )
    const first = offsetOf(query)
    const url = `${app.config.baseUrl}/v1/silent-checks`
    return pageReply({ items: found.slice(first, first + query.limit), total: found.length, url, query })
  },
})

export { list as listSilentChecks }

export const silentCheckRoutes: Route<App & HasProviders>[] = [list]
