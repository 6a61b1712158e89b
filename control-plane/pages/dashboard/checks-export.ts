/** The list of checks and the runs of one as files, through the API's own routes, with the filters of the page. */
import { exportChecks } from '../../monitoring/definitions/checks/export-route.ts'
import { exportResults } from '../../monitoring/results/export-route.ts'
import type { Bytes } from '../../platform/web/http/answers/serialize.ts'
import { type Reply, reply } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { filterOf } from './check-filter.ts'
import { callApi } from './internal-client.ts'
import { type RequestContext, textOf } from './request-context.ts'

const formats = ['csv', 'json', 'yaml'] as const

export const exportList = async (context: RequestContext): Promise<Reply<Bytes>> => {
  const format = formats.find((each) => each === context.params['format'])
  if (format === undefined) throw notFound()
  const { tags, isUntold, groupId, status, activated, search, checkType, flapping } = filterOf(context)
  const { body, headers } = await callApi(context, exportChecks, {
    query: {
      format,
      ...{ tag: tags, groupId: groupId === null ? 0 : groupId },
      ...{ untold: isUntold, status, activated, search, checkType, flapping },
    },
  })
  return reply(body as Bytes, { headers })
}

export const exportRuns = async (context: RequestContext): Promise<Reply<Bytes>> => {
  const { body, headers } = await context.call(exportResults, {
    params: { checkId: context.params['id'] ?? '' },
    query: {
      ...outcomes[textOf(context, 'outcome')],
      ...Object.fromEntries(
        (['location', 'from', 'to'] as const)
          .map((name) => [name, textOf(context, name)] as const)
          .filter(([, value]) => value !== ''),
      ),
    },
  })
  return reply(body as Bytes, { headers })
}

const outcomes: { readonly [name: string]: object } = {
  failed: { hasFailures: true },
  degraded: { isDegraded: true },
  errors: { hasErrors: true },
}
