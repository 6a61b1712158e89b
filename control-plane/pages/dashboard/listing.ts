/** Lists of what the API lists, all made alike: columns, what can be done with each, and the next page. */
import { type Content, html } from '../../platform/web/html/html.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import type { Role } from '../../platform/words/shapes/roles.ts'
import { querystringOf } from './door.ts'
import { dashboardPage } from './frame.ts'
import { actionLink } from './operations.ts'
import { type Column, card, linkButton, table } from './parts.ts'
import { textOf, type Visit } from './visit.ts'

// biome-ignore lint/suspicious/noExplicitAny: items of many lists
export type Item = any

export type ItemAction = {
  word: string
  /** The route that it leads to. */
  operation: string
  params: (item: Item) => Record<string, string | number>
  isOffered?: (item: Item) => boolean
}

export type Listing = {
  path: string
  title: string
  /** One sentence on what it is for. */
  intro: string
  operation: string
  query?: Record<string, string | number | boolean>
  /** By number of page, by cursor, or all at once. */
  pages: 'page' | 'nextId' | 'none'
  itemsIn?: (body: Item) => Item[]
  columns: (visit: Visit) => Column<Item>[]
  creations?: ReadonlyArray<readonly [word: string, operation: string]>
  actions?: readonly ItemAction[]
  access?: Role
  /** False: of who asks there are none (keys of who signed in with a key that is nobody's). */
  isShown?: (visit: Visit) => boolean
  /** Further cards below the list. */
  also?: (visit: Visit) => Promise<Content>
}

const perPage = 50

export const mayDo = (visit: Visit, operation: string): boolean => {
  const route = visit.door.get(operation)?.route
  return route !== undefined && visit.can(route.access as Role)
}

export const listingPage = async (visit: Visit, listing: Listing): Promise<Reply<string>> => {
  const { path, title, creations = [] } = listing
  return dashboardPage(visit, {
    title,
    place: path,
    actions: creations
      .filter(([, operation]) => mayDo(visit, operation))
      .map(([word, operation], position) =>
        linkButton(actionLink(operation, {}, { back: path }), word, position === 0 ? 'main' : 'second'),
      ),
    content: [
      html`<p class="quiet intro">${listing.intro}</p>`,
      (listing.isShown?.(visit) ?? true) ? await listCard(visit, listing) : null,
      (await listing.also?.(visit)) ?? null,
    ],
  })
}

export const listCard = async (
  visit: Visit,
  listing: Omit<Listing, 'intro' | 'access'>,
  heading = '',
): Promise<Content> => {
  const { operation, pages, query = {}, itemsIn = (body) => body, title } = listing
  const place = textOf(visit, 'at')
  const paging =
    pages === 'page'
      ? { limit: perPage, page: /^\d{1,5}$/.test(place) ? place : '1' }
      : pages === 'nextId'
        ? { limit: perPage, nextId: place }
        : {}
  const { body } = await visit.call(operation, { params: visit.params, query: { ...query, ...paging } })
  const items = itemsIn(body)
  const next =
    pages === 'nextId'
      ? body.nextId
      : pages === 'page' && items.length === perPage
        ? Number(place || '1') + 1
        : null
  return [
    card(
      heading,
      table(
        title,
        [...listing.columns(visit), ...actionColumn(visit, listing)],
        items,
        'There are none yet.',
      ),
    ),
    next === null || next === undefined
      ? null
      : html`<nav class="pager" aria-label="Pages of the list"><a class="button second" rel="next" href="?${querystringOf({ at: String(next) })}">Next page</a></nav>`,
  ]
}

const actionColumn = (visit: Visit, { actions = [], path }: Omit<Listing, 'intro'>): Column<Item>[] => {
  const offered = actions.filter(({ operation }) => mayDo(visit, operation))
  if (offered.length === 0) return []
  return [
    {
      label: '',
      kind: 'act',
      cell: (item) =>
        offered
          .filter(({ isOffered }) => isOffered?.(item) ?? true)
          .map(
            ({ word, operation, params }) =>
              html`<a href="${actionLink(operation, { ...visit.params, ...params(item) }, { back: path })}">${word}</a> `,
          ),
    },
  ]
}
