/** Lists of what the API lists, all made alike: columns, what can be done with each, and the next page. */
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import type { Reply, RouteAnswering } from '../../platform/web/http/route.ts'
import type { Role } from '../../platform/words/shapes/roles.ts'
import { textField } from './filter-form.ts'
import { dashboardPage } from './frame.ts'
import { callApi, type Parameters, querystringOf } from './internal-client.ts'
import { actionLink } from './operations.ts'
import { type Column, card, linkButton, table } from './parts.ts'
import { type PageRoute, type RequestContext, textOf } from './request-context.ts'

export type ItemAction<Item> = {
  word: string
  /** The route that it leads to. */
  operation: string
  params: (item: Item) => Record<string, string | number>
  isOffered?: (item: Item) => boolean
}

/** `Answer` is what the route answers, `Item` one of what is listed of it. */
type List<Answer, Item> = {
  title: string
  route: RouteAnswering<Answer>
  query?: Parameters
  /** The route has a `search`: what it looks at, in words. */
  search?: { label: string }
  /** By number of page, all at once, or by the cursor that an answer has. */
  pages: 'page' | 'none' | ((answer: Answer) => string | null)
  itemsIn: (answer: Answer) => readonly Item[]
  columns: (context: RequestContext, items: readonly Item[]) => Column<Item>[] | Promise<Column<Item>[]>
  actions?: readonly ItemAction<Item>[]
}

type ListPage<Answer, Item> = List<Answer, Item> & {
  path: string
  /** One sentence on what it is for. */
  intro: string
  creations?: ReadonlyArray<readonly [word: string, operation: string]>
  access?: Role
  /** False hides the list: whoever signed in with a key of no user has no keys of their own. */
  isShown?: (context: RequestContext) => boolean
  /** Further cards below the list. */
  also?: (context: RequestContext) => Promise<Content>
}

const perPage = 50

export const mayDo = (context: RequestContext, operation: string): boolean => {
  const route = context.client.get(operation)?.route
  return route !== undefined && context.can(route.access as Role)
}

/** The page of a list. */
export const listing = <Answer, Item>(list: ListPage<Answer, Item>): PageRoute => ({
  path: list.path,
  summary: list.title,
  ...(list.access === undefined ? {} : { access: list.access }),
  show: (context) => listingPage(context, list),
})

const listingPage = async <Answer, Item>(
  context: RequestContext,
  list: ListPage<Answer, Item>,
): Promise<Reply<string>> => {
  const { path, title, creations = [] } = list
  return dashboardPage(context, {
    title: say(title),
    section: path,
    actions: creations
      .filter(([, operation]) => mayDo(context, operation))
      .map(([word, operation], position) =>
        linkButton(actionLink(operation, {}, { back: path }), word, position === 0 ? 'main' : 'second'),
      ),
    content: [
      html`<p class="quiet intro">${say(list.intro)}</p>`,
      (list.isShown?.(context) ?? true) ? await listCard(list, '')(context, path) : null,
      (await list.also?.(context)) ?? null,
    ],
  })
}

/** `path`: of the page that shows it. */
export type ListCard = (context: RequestContext, path: string) => Promise<Content>

/** A list as a card of a page. */
export const listCard =
  <Answer, Item>(list: List<Answer, Item>, heading: string = list.title): ListCard =>
  async (context, path) => {
    const { route, pages, query = {}, itemsIn, title } = list
    const search = list.search === undefined ? '' : textOf(context, 'search').trim()
    const at = textOf(context, 'at')
    const number = /^\d{1,5}$/.test(at) ? at : '1'
    const paging =
      pages === 'none' ? {} : { limit: perPage, ...(pages === 'page' ? { page: number } : { nextId: at }) }
    const { body } = await callApi(context, route, {
      params: context.params,
      query: { ...query, ...paging, search },
    })
    const items = itemsIn(body)
    const nextNumber = pages === 'page' && items.length === perPage ? Number(number) + 1 : null
    const next = typeof pages === 'function' ? pages(body) : nextNumber
    return [
      list.search === undefined || (items.length === 0 && search === '')
        ? null
        : searchForm(path, list.search.label, search),
      card(
        heading,
        table(
          title,
          [...(await list.columns(context, items)), ...actionColumn(context, list, path)],
          items,
          search === '' ? 'There are none yet.' : html`Nothing is called “${search}”.`,
        ),
      ),
      next === null
        ? null
        : html`<nav class="pager" aria-label="Pages of the list"><a class="button second" rel="next" href="?${querystringOf({ search, at: String(next) })}">Next page</a></nav>`,
    ]
  }

const searchForm = (path: string, label: string, search: string): Html =>
  html`<form class="filters" method="get" action="${path}">${textField('search', label, search)}<button class="second">Search</button>${search === '' ? null : html`<a href="${path}">Show all</a>`}</form>`

const actionColumn = <Answer, Item>(
  context: RequestContext,
  { actions = [] }: List<Answer, Item>,
  path: string,
): Column<Item>[] => {
  const offered = actions.filter(({ operation }) => mayDo(context, operation))
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
              html`<a href="${actionLink(operation, { ...context.params, ...params(item) }, { back: path })}">${say(word)}</a> `,
          ),
    },
  ]
}
