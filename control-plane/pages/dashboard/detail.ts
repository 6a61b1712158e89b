/** Pages of one thing: what the API says of it, what belongs to it, and what can be done with it. */
import { type Content, html } from '../../platform/web/html/html.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { answerView } from './answer-view.ts'
import { dashboardPage } from './frame.ts'
import { type Item, type Listing, listCard, mayDo } from './listing.ts'
import { actionLink } from './operations.ts'
import { card, linkButton } from './parts.ts'
import type { Visit } from './visit.ts'

export type Detail = {
  /** `/app/incidents/:incidentId`: the parameters are those of the API's routes. */
  path: string
  place: readonly [path: string, name: string]
  operation: string
  query?: Record<string, string | number | boolean>
  title: (item: Item) => string
  /** The names that are shown, in this order; the others are not. */
  facts: (item: Item, visit: Visit) => Record<string, unknown>
  actions: ReadonlyArray<readonly [word: string, operation: string]>
  lists?: ReadonlyArray<Omit<Listing, 'intro' | 'path'>>
  also?: (item: Item, visit: Visit) => Promise<Content>
}

export const detailPage = async (visit: Visit, detail: Detail): Promise<Reply<string>> => {
  const { body: item } = await visit.call(detail.operation, {
    params: visit.params,
    ...(detail.query === undefined ? {} : { query: detail.query }),
  })
  const own = detail.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(visit.params[name] ?? ''),
  )
  const lists: Content[] = []
  for (const list of detail.lists ?? []) lists.push(await listCard(visit, { ...list, path: own }, list.title))
  return dashboardPage(visit, {
    title: detail.title(item),
    place: detail.place[0],
    trail: [detail.place],
    actions: detail.actions
      .filter(([, operation]) => mayDo(visit, operation))
      .map(([word, operation], position) =>
        linkButton(
          actionLink(operation, visit.params, {
            back: operation.startsWith('DELETE') ? detail.place[0] : own,
          }),
          word,
          position === 0 ? 'main' : 'second',
        ),
      ),
    content: html`${card('', answerView(detail.facts(item, visit)))}${(await detail.also?.(item, visit)) ?? null}${lists}`,
  })
}

/** Some of what an answer has, by name and in that order. */
export const pick =
  (names: readonly string[]) =>
  (item: Item): Record<string, unknown> =>
    Object.fromEntries(names.map((name) => [name, item[name]]))
