import type { IcmpResponse } from '../../protocol/checks/icmp-result.ts'
import { readJsonPath } from './json-path.ts'
import type { Sources } from './sources.ts'

/** Sources of ICMP checks; `property` of LATENCY is the statistic, the average unless told otherwise. */
export const icmpSources: Sources<IcmpResponse> = {
  LATENCY: {
    label: 'latency',
    read: ({ latency }, { property }) => {
      const statistic = property || 'avg'
      return Object.hasOwn(latency, statistic) ? latency[statistic as keyof typeof latency] : undefined
    },
  },
  JSON_RESPONSE: {
    label: 'response',
    read: (response, { property }) => readJsonPath(property ?? '', response),
  },
}
