/** The API document for people: served from the package, complete without scripts. */
import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { Asset } from '../../platform/web/html/assets.ts'
import { documentOf, policyOf } from '../../platform/web/html/document.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import { style } from '../../platform/web/html/style.ts'
import {
  notChanged,
  type RequestHeaders,
  type RetainedText,
  replyRetained,
  retainText,
} from '../../platform/web/http/answers/retained-text.ts'
import { sentAsIs } from '../../platform/web/http/answers/serialize.ts'
import { openApiDocument } from '../../platform/web/http/openapi/openapi.ts'
import { type Declaration, type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { docsSearch } from '../assets/all.ts'
import { docsIndex, docsStyle, inPages, schemaPage, tagPage } from './docs-page.ts'
import { type Json, schemasOf, type TagDocs, tagsOf } from './read-document.ts'

const styles = [style, docsStyle]
const tag = 'Documents'

const docsPage = (title: string, content: Html, scripts: readonly Asset[] = []): RetainedText =>
  retainText(
    documentOf({ lang: 'en', title, styles, scripts, body: html`<main>${content}</main>`, isListed: true }),
    {
      'cache-control': 'public, max-age=300',
      'content-security-policy': policyOf({ styles, scripts }),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  )

/** `listed`: the routes that the document is about, asked for when all of them are known. */
export const docsRoutes = (listed: () => readonly Declaration[]): Route[] => {
  const pages = new WeakMap<App, Pages>()
  const pagesOf = (app: App): Pages => {
    const known = pages.get(app)
    if (known !== undefined) return known
    const made = allPages(openApiDocument(listed(), app.config.baseUrl), app.config.baseUrl)
    pages.set(app, made)
    return made
  }
  const read = (app: App, slug: string, headers: RequestHeaders) => {
    const page = pagesOf(app).get(slug)
    if (page === undefined) throw notFound()
    return replyRetained(page, headers)
  }
  const common = {
    method: 'GET',
    access: 'PUBLIC',
    tag,
    status: 200,
    responseType: 'text/html',
    response: sentAsIs(),
    otherStatuses: notChanged,
    otherTypes: { errors: ['text/html'] },
  } as const
  return [
    route({
      ...common,
      path: '/docs',
      summary: 'This API for people: all operations',
      handle: ({ headers }, app) => read(app, '', headers),
    }),
    route({
      ...common,
      path: '/docs/:tag',
      summary: 'This API for people: the operations of one kind, with schemas and examples',
      params: Type.Object({ tag: Type.String({ maxLength: 100 }) }),
      otherStatuses: { ...notChanged, 404: 'There is no such kind' },
      example: { params: { tag: 'checks' } },
      handle: ({ params, headers }, app) => read(app, params.tag, headers),
    }),
    route({
      ...common,
      path: '/docs/schemas/:name',
      summary: 'One schema of this API for people',
      params: Type.Object({ name: Type.String({ maxLength: 200 }) }),
      otherStatuses: { ...notChanged, 404: 'There is no such schema' },
      example: { params: { name: 'CheckAlert' } },
      handle: ({ params, headers }, app) => read(app, `schemas/${params.name}`, headers),
    }),
  ]
}

type Pages = ReadonlyMap<string, RetainedText>

const allPages = (document: Json, baseUrl: string): Pages => {
  const tags = tagsOf(document).map((each) => inPages(each, baseUrl))
  return new Map([
    ['', docsPage('The API of Watchpost', docsIndex(document, tags.flat()), [docsSearch])],
    ...tags.flatMap((pages) => pages.map((each): [string, RetainedText] => pageOf(each, pages, baseUrl))),
    ...schemasOf(document).map(([name, schema]): [string, RetainedText] => [
      `schemas/${name}`,
      docsPage(`${name} · The API of Watchpost`, schemaPage(name, schema)),
    ]),
  ])
}

const pageOf = (docs: TagDocs, pages: readonly TagDocs[], baseUrl: string): [string, RetainedText] => {
  const others = pages.filter((each) => each !== docs)
  return [docs.slug, docsPage(`${docs.tag} · The API of Watchpost`, tagPage(docs, others, baseUrl))]
}
