/** How the checks of each group are: what is worst comes first. Pure, but for its reading. */
import type { CheckFilter } from '../../monitoring/definitions/checks/filtered-checks.ts'
import { countByGroup } from '../../monitoring/definitions/checks/list-queries.ts'
import { statesInOrder } from '../../monitoring/definitions/checks/places-by-state.ts'
import { type Content, type Html, html, type Localized } from '../../platform/web/html/html.ts'
import { count, say } from '../../platform/web/html/say.ts'
import type { State } from './parts.ts'
import { namesOfGroups } from './queries.ts'
import type { RequestContext } from './request-context.ts'

export type GroupSum = {
  /** Null: of the checks that are in none. */
  id: number | null
  name: string
  states: { readonly [S in State]: number }
  muted: number
  total: number
}

const mostNames = 5000

export const readGroupSums = async (context: RequestContext, filter: CheckFilter): Promise<GroupSum[]> => {
  const { db } = context.app
  const counts = await countByGroup(db, filter)
  const { accountId } = context.principal
  const names = new Map(
    (await db.all(namesOfGroups, { accountId, limit: mostNames })).map(({ id, name }) => [id, name]),
  )
  const groups = [...Map.groupBy(counts, ({ group_id }) => group_id)].map(([id, rows]): GroupSum => {
    const states = { failing: 0, degraded: 0, stale: 0, unknown: 0, waiting: 0, passing: 0, paused: 0 }
    for (const { place, total } of rows) states[statesInOrder[place] ?? 'waiting'] += total
    return {
      ...{ id, states, name: id === null ? '' : (names.get(id) ?? `no. ${id}`) },
      muted: rows.reduce((sum, row) => sum + row.muted, 0),
      total: rows.reduce((sum, row) => sum + row.total, 0),
    }
  })
  return groups.sort((a, b) => worstOf(a) - worstOf(b) || compareNames(a, b))
}

const compareNames = (a: GroupSum, b: GroupSum): number =>
  Number(a.id === null) - Number(b.id === null) || a.name.localeCompare(b.name)

/** Failing before degraded before all others. */
const worstOf = ({ states }: GroupSum): number => (states.failing > 0 ? 0 : states.degraded > 0 ? 1 : 2)

export const worstState = ({ states }: Pick<GroupSum, 'states'>): State =>
  statesInOrder.find((state) => states[state] > 0) ?? 'waiting'

const counted: { readonly [S in State]: (total: number) => Localized } = {
  failing: (total) => count(total, { one: '# failing', other: '# failing' }),
  degraded: (total) => count(total, { one: '# degraded', other: '# degraded' }),
  stale: (total) => count(total, { one: '# stale', other: '# stale' }),
  unknown: (total) => count(total, { one: '# unknown', other: '# unknown' }),
  waiting: (total) => count(total, { one: '# not run yet', other: '# not run yet' }),
  passing: (total) => count(total, { one: '# passing', other: '# passing' }),
  paused: (total) => count(total, { one: '# paused', other: '# paused' }),
}

/** `12 checks: 2 failing · 10 passing · 1 muted`; each leads to those that are. */
export const sumsInWords = ({ states, muted, total }: GroupSum, link: (state: string) => string): Content => {
  const parts: Html[] = statesInOrder
    .filter((state) => states[state] > 0)
    .map(
      (state) =>
        html`<a class="sum ${state}" href="${link(state)}">${
          state === 'passing' && states.passing === total ? say('all passing') : counted[state](states[state])
        }</a>`,
    )
  const all = count(total, { one: '# check', other: '# checks' })
  const silent = muted === 0 ? null : html` · ${count(muted, { one: '# muted', other: '# muted' })}`
  return html`<span class="sums">${all}: ${parts.map((part, at) => [at === 0 ? null : ' · ', part])}${silent}</span>`
}
