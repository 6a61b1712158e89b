/** The analytics endpoints, a row for each that the registry of check types knows. */
import { type CheckType, protocolOf } from '../../../protocol/check-type.ts'
import type { Metric } from '../../../protocol/checks/metric.ts'
import { byLocation, type Grouping } from '../../monitoring/definitions/checks/types/analytics.ts'
import { checkKinds, kindOf } from '../../monitoring/definitions/checks/types/index.ts'

export type Kind = {
  path: string
  checkTypes: readonly CheckType[]
  /** With its article: `a URL monitor`. */
  words: string
  groupings: readonly Grouping[]
  numbers: readonly Metric[]
}

const ofTypes: Kind[] = Object.values(checkKinds).flatMap(({ type, words, analytics }) =>
  analytics === undefined
    ? []
    : [{ ...analytics, checkTypes: [type], words, numbers: protocolOf(type).metrics }],
)

const overTls = Object.values(checkKinds)
  .map(({ type }) => type)
  .filter((type) => protocolOf(type).tlsMetrics !== undefined)

const isFirst = ({ name }: Metric, position: number, all: readonly Metric[]): boolean =>
  all.findIndex((other) => other.name === name) === position

/** Of all types whose runs speak TLS. */
const tls: Kind = {
  path: 'ssl',
  checkTypes: overTls,
  words: `the TLS side of ${overTls.map((type) => kindOf(type).words).join(' or ')}`,
  groupings: [byLocation],
  numbers: overTls.flatMap((type) => protocolOf(type).tlsMetrics ?? []).filter(isFirst),
}

export const kinds: readonly Kind[] = [...ofTypes, tls]
