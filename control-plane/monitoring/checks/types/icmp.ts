import { Type } from 'typebox'
import { IcmpRequest, type IcmpSpec } from '../../../../protocol/checks/icmp.ts'
import type { Violation } from '../../../../protocol/validate.ts'
import { violation } from '../../../platform/http/errors.ts'
import { nullable } from '../../../platform/shapes/nullable.ts'
import { sharedFields } from '../../../platform/shapes/shared-fields.ts'
import type { CheckDoc } from '../check-doc.ts'
import type { CheckKind } from './check-kind.ts'
import { degradedBeforeMax, responseTimes, subMinuteFrequency } from './fields.ts'

const percent = (fallback: number) =>
  nullable(Type.Number({ exclusiveMinimum: 0, maximum: 100 }), {
    default: fallback,
    description: 'Percent of lost packets; null: any number',
    examples: [fallback],
  })

/** Pings of a host: their latency and how many are lost. */
export const icmp: CheckKind = {
  type: 'ICMP',
  path: 'icmp',
  title: 'IcmpCheck',
  words: 'an ICMP check',
  note: 'Pings of a host. The response time is their average latency.',
  fields: {
    ...sharedFields,
    request: IcmpRequest,
    ...subMinuteFrequency,
    ...responseTimes(300_000, 10_000, 20_000),
    degradedPacketLossThreshold: percent(10),
    maxPacketLossThreshold: percent(20),
  },
  required: ['name', 'request'],
  example: { name: 'Router', request: { hostname: 'router.example.com' }, locations: ['eu-west-1'] },
  scheduled: true,
  takesVariables: false,
  needsRuntime: () => false,
  problems: (doc) => [...degradedBeforeMax(doc), ...degradedLossBeforeMax(doc)],
  spec: ({ doc }): IcmpSpec => {
    const { hostname, ipFamily, pingCount, assertions } = doc.request as IcmpRequest
    return {
      request: {
        hostname,
        ipFamily: ipFamily ?? 'IPv4',
        pingCount: pingCount ?? 10,
        assertions: assertions ?? [],
      },
      ...lossOf(doc),
      shouldFail: doc.shouldFail,
    }
  },
}

type Loss = Pick<IcmpSpec, 'degradedPacketLossThreshold' | 'maxPacketLossThreshold'>

const lossOf = (doc: CheckDoc): Loss => {
  const { degradedPacketLossThreshold, maxPacketLossThreshold } = doc as CheckDoc & Loss
  return { degradedPacketLossThreshold, maxPacketLossThreshold }
}

const degradedLossBeforeMax = (doc: CheckDoc): Violation[] => {
  const { degradedPacketLossThreshold: degraded, maxPacketLossThreshold: max } = lossOf(doc)
  return degraded !== null && max !== null && degraded > max
    ? [violation('degradedPacketLossThreshold', 'order', 'must not be greater than "maxPacketLossThreshold"')]
    : []
}
