/** How many checks are in which state: each is in one, and together they are all. */

import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { number, say } from '../../platform/web/html/say.ts'
import { type State, stateWord, toneOf } from './parts.ts'
import { countAllChecks, countPaused, countStates } from './queries.ts'
import type { RequestContext } from './request-context.ts'

export type CheckCounts = { [S in State]: number } & { total: number }

export const readCounts = async ({
  app: { db },
  principal: { accountId },
}: RequestContext): Promise<CheckCounts> => {
  const states = await db.all(countStates, { accountId })
  const paused = await db.all(countPaused, { accountId })
  const total = (await db.get(countAllChecks, { accountId }))?.total ?? 0
  const of = (state: string): number =>
    (states.find((row) => row.state === state)?.total ?? 0) -
    (paused.find((row) => row.state === state)?.total ?? 0)
  const counts = {
    ...{ failing: of('failing'), degraded: of('degraded'), passing: of('passing') },
    ...{ stale: of('stale'), unknown: of('unknown') },
    paused: paused.reduce((sum, row) => sum + row.total, 0),
  }
  const known = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return { ...counts, waiting: Math.max(0, total - known), total }
}

const listed = ['failing', 'degraded', 'stale', 'unknown', 'waiting', 'passing', 'paused'] as const

/** As filters of the list: all, and each state in which there is any. */
export const stateFilters = (
  counts: CheckCounts,
  { current, link }: { current: string; link: (state: string) => string },
): Html => {
  const filter = (state: string, word: Content, total: number): Html =>
    html`<li><a href="${link(state)}"${state === current ? html` aria-current="true"` : null}>${word} <b>${number(total)}</b></a></li>`
  return html`<ul class="states" id="states" data-part>${filter('', say('All'), counts.total)}${listed
    .filter((state) => counts[state] > 0 || state === current)
    .map((state) => filter(state, say(stateWord(state)), counts[state]))}</ul>`
}

/** As the numbers of the overview. */
export const countTiles = (counts: CheckCounts): Html =>
  html`<ul class="counts" id="counts" data-part>${listed.map(
    (state) =>
      html`<li class="${counts[state] > 0 ? toneOf(state) : ''}"><a href="/app/checks?state=${state}"><b>${number(counts[state])}</b><span>${say(stateWord(state))}</span></a></li>`,
  )}<li><a href="/app/checks"><b>${number(counts.total)}</b><span>Checks in all</span></a></li></ul>`
