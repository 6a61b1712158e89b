/** What the address of the list of checks says: which checks, in which order, and from where on. */
import { type CheckType, checkTypes } from '../../../protocol/check-type.ts'
import type { CheckFilter } from '../../monitoring/definitions/checks/filtered-checks.ts'
import type { OrderCursor } from '../../monitoring/definitions/checks/list-queries.ts'
import { querystringOf } from './internal-client.ts'
import { type RequestContext, textOf } from './request-context.ts'

export const perPage = 100

const filterNames = ['search', 'type', 'tag', 'state', 'group', 'told', 'flapping'] as const
const listedStates = ['failing', 'degraded', 'stale', 'unknown', 'waiting', 'passing', 'paused'] as const

export const filterOf = (context: RequestContext): CheckFilter => {
  const [search, type, tag, state, group, told, flapping] = filterNames.map((name) =>
    textOf(context, name).trim(),
  )
  const status = listedStates.find((each) => each === state)
  return {
    accountId: context.principal.accountId,
    ...(search ? { search } : {}),
    ...(type && checkTypes.includes(type as CheckType) ? { checkType: type } : {}),
    ...(tag ? { tags: [tag] } : {}),
    ...(status === undefined ? {} : { activated: status !== 'paused' }),
    ...(status === undefined || status === 'paused' ? {} : { status }),
    ...(told === 'nobody' ? { isUntold: true } : {}),
    ...(flapping === 'yes' ? { flapping: true } : {}),
    ...(group === 'none' ? { groupId: null } : {}),
    ...(group && /^\d{1,9}$/.test(group) ? { groupId: Number(group) } : {}),
  }
}

/** By what it can be sorted; figures are not in the store, so few checks can be sorted by them. */
const sorts = ['state', 'name', 'lastRun', 'uptime', 'p95', 'created'] as const
export type Sort = { by: (typeof sorts)[number]; isReversed: boolean }

/** `-name`: the other way round. What fails comes first unless told otherwise. */
export const sortOf = (context: RequestContext): Sort => {
  const text = textOf(context, 'sort')
  const by = sorts.find((each) => each === text.replace(/^-/, '')) ?? 'state'
  return { by, isReversed: text.startsWith('-') && by === text.slice(1) }
}

export const sortText = ({ by, isReversed }: Sort): string =>
  by === 'state' && !isReversed ? '' : `${isReversed ? '-' : ''}${by}`

export const isByFigure = (by: Sort['by']): by is 'uptime' | 'p95' => by === 'uptime' || by === 'p95'

/** The same list with something else set; what is empty is left out. */
export const searchOf = (context: RequestContext, more: Record<string, string> = {}): string =>
  querystringOf({
    ...Object.fromEntries([...filterNames, 'sort', 'view'].map((name) => [name, textOf(context, name)])),
    ...more,
  })

/** What a search of names keeps beside itself. */
export const searchIn = (context: RequestContext) => ({
  text: textOf(context, 'search'),
  kept: [...filterNames, 'sort', 'view']
    .filter((name) => name !== 'search' && textOf(context, name) !== '')
    .map((name) => [name, textOf(context, name)] as const),
})

export const isFiltered = (context: RequestContext): boolean =>
  filterNames.some((name) => textOf(context, name).trim() !== '')

/** `1767225600000.6f0c….Shop`: where the page before ended. */
export const cursorText = ({ key, createdAt, id }: OrderCursor): string => `${createdAt}.${id}.${key}`

export const cursorIn = (text: string, by: Sort['by']): OrderCursor | undefined => {
  const [, createdAt, id, said] = /^(\d{1,15})\.([0-9a-f-]{36})\.(.*)$/s.exec(text) ?? []
  if (createdAt === undefined || id === undefined || said === undefined) return undefined
  const key = by === 'name' ? said : Number(said)
  return Number.isNaN(key) ? undefined : { key, createdAt: Number(createdAt), id }
}
