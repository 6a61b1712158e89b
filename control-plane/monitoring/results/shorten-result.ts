/** What stays of a result's document when the time of its details is over: what says how it went, and what analytics read. Pure. */
import { type CheckType, protocolOf } from '../../../protocol/check-type.ts'
import { checkKinds } from '../definitions/checks/types/index.ts'
import type { ResultDoc } from './result-doc.ts'

type Detail = Record<string, unknown>

const stays = [
  'name',
  'error',
  'errorGroupIds',
  'traceId',
  'arrivedLate',
  'replacedMissedRun',
  'checkVersion',
  'failure',
  'metrics',
  'state',
  'source',
  'userAgent',
] as const satisfies readonly (keyof ResultDoc)[]

export const shortenResult = (type: string, doc: ResultDoc): ResultDoc => {
  const property = protocolOf(type as CheckType).resultProperty
  const detail = property === null ? undefined : (doc[property] as Detail | null | undefined)
  const retained = stays.flatMap((name) => (isSaid(doc[name]) ? [[name, doc[name]] as const] : []))
  return {
    ...(Object.fromEntries(retained) as ResultDoc),
    shortened: true,
    ...(property === null || !detail ? {} : { [property]: partsOf(detail, pathsOf(type as CheckType)) }),
  }
}

const isSaid = (value: unknown): boolean =>
  value !== undefined && !(Array.isArray(value) && value.length === 0)

/** Where analytics look in the detail of a type, as dotted paths. */
const pathsOf = (type: CheckType): string[] => {
  const { metrics, tlsMetrics = [] } = protocolOf(type)
  const groupings = checkKinds[type].analytics?.groupings ?? []
  return [
    ...[...metrics, ...tlsMetrics].flatMap(({ from }) => {
      if (typeof from === 'string' || 'metric' in from) return []
      return 'detail' in from ? [from.detail] : ['pages']
    }),
    ...groupings.flatMap((grouping) => ('detail' in grouping ? [grouping.detail] : [])),
  ]
}

const partsOf = (detail: Detail, paths: readonly string[]): Detail => {
  const parts: Detail = {}
  for (const path of paths) copyPart(path.split('.'), detail, parts)
  return parts
}

const copyPart = ([name = '', ...rest]: string[], from: Detail, to: Detail): void => {
  const value = from[name]
  if (value === undefined) return
  if (rest.length === 0) {
    to[name] = value
    return
  }
  if (typeof value !== 'object' || value === null) return
  const inner = (to[name] ?? {}) as Detail
  to[name] = inner
  copyPart(rest, value as Detail, inner)
}
