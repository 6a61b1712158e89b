/** Pages of one thing: what the API says of it, what belongs to it, and what can be done with it. */
import { type Content, html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import type { Reply, RouteAnswering } from '../../platform/web/http/route.ts'
import { answerView } from './answer-view.ts'
import { dashboardPage } from './frame.ts'
import { callApi, type Parameters } from './internal-client.ts'
import { type ListCard, mayDo } from './listing.ts'
import { actionLink } from './operations.ts'
import { card, linkButton } from './parts.ts'
import type { PageRoute, RequestContext } from './request-context.ts'

/** `Item` is what the route answers. */
type Detail<Item> = {
  /** `/app/incidents/:incidentId`: the parameters are those of the API's routes. */
  path: string
  section: readonly [path: string, name: string]
  route: RouteAnswering<Item>
  query?: Parameters
  title: (item: Item) => Content
  /** The names that are shown, in this order; the others are not. */
  facts: (item: Item, context: RequestContext) => Record<string, unknown>
  actions: ReadonlyArray<readonly [word: string, operation: string]>
  /** Whether it is fetched again when results come. */
  isLive?: boolean
  lists?: readonly ListCard[]
  /** Above the facts. */
  first?: (item: Item, context: RequestContext) => Promise<Content>
  also?: (item: Item, context: RequestContext) => Promise<Content>
}

export const detailPage = <Item>(detail: Detail<Item>): PageRoute => ({
  path: detail.path,
  summary: `One of ${detail.section[1]}`,
  show: (context) => showDetail(context, detail),
})

const showDetail = async <Item>(context: RequestContext, detail: Detail<Item>): Promise<Reply<string>> => {
  const { params } = context
  const { body: item } = await callApi(context, detail.route, { params, query: detail.query ?? {} })
  const own = detail.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const lists: Content[] = []
  for (const list of detail.lists ?? []) lists.push(await list(context, own))
  return dashboardPage(context, {
    title: detail.title(item),
    section: detail.section[0],
    trail: [[detail.section[0], say(detail.section[1])]],
    ...(detail.isLive === undefined ? {} : { isLive: detail.isLive }),
    actions: detail.actions
      .filter(([, operation]) => mayDo(context, operation))
      .map(([word, operation], position) =>
        linkButton(
          actionLink(operation, params, { back: operation.startsWith('DELETE') ? detail.section[0] : own }),
          word,
          position === 0 ? 'main' : 'second',
        ),
      ),
    content: html`${(await detail.first?.(item, context)) ?? null}${card('', answerView(detail.facts(item, context)))}${(await detail.also?.(item, context)) ?? null}${lists}`,
  })
}

/** Some of what an answer has, by name and in that order. */
export const pick =
  <Name extends string>(names: readonly Name[]) =>
  (item: { readonly [N in Name]?: unknown }): Record<string, unknown> =>
    Object.fromEntries(names.map((name) => [name, item[name]]))
