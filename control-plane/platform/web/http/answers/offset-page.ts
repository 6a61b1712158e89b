/** Page-based lists: `limit` and `page` in the query, `content-range` and `link` in the answer. */
import { Type } from 'typebox'
import { type Reply, reply } from '../route.ts'

/** Query parameters to spread into a list's query schema. */
export const pageParameters = {
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'Items per page' }),
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'Page, from 1' }),
}

/** The same of a list that is searched. `parts`: what is looked at. */
export const searchParameter = (parts: string) => ({
  search: Type.Optional(Type.String({ maxLength: 255, description: `Part of ${parts}, in any case` })),
})

export type Page = { limit: number; page: number }

export const offsetOf = ({ limit, page }: Page): number => (page - 1) * limit

type PageOf<T> = { items: T[]; total: number; url: string; query: Page & Record<string, unknown> }

/** `content-range: 0-9/11` (first-last/total, from 0) and `link` with rel next and last. */
export const pageReply = <T>({ items, total, url, query }: PageOf<T>): Reply<T[]> => {
  const first = offsetOf(query)
  const range = items.length === 0 ? `*/${total}` : `${first}-${first + items.length - 1}/${total}`
  const lastPage = Math.max(1, Math.ceil(total / query.limit))
  const links = [
    ...(query.page < lastPage ? [`<${linkTo(url, query, query.page + 1)}>; rel="next"`] : []),
    `<${linkTo(url, query, lastPage)}>; rel="last"`,
  ]
  return reply(items, { headers: { 'content-range': range, link: links.join(', ') } })
}

const linkTo = (url: string, query: Record<string, unknown>, page: number): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...query, page }))
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined) parameters.append(name, String(item))
  return `${url}?${parameters}`
}
