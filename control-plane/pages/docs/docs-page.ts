/** The API document as pages: a list of all operations, and a page per tag. Pure. */
import { type Html, html, markupOf } from '../../platform/web/html/html.ts'
import { code } from '../../platform/web/html/section.ts'
import { operationSection } from './operation.ts'
import type { Json, TagDocs } from './read-document.ts'
import { schemaTable, withCode } from './schema-table.ts'

export const docsStyle = html`
.method{display:inline-block;min-width:60px;font-size:13px}
.operations{list-style:none;padding:0}.operations li{padding:5px 0}
.operations code{font-size:12px}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
[hidden]{display:none!important}
input{font:inherit;width:100%;padding:9px 12px;border:1px solid var(--quiet);border-radius:8px;background:var(--card);color:var(--text)}
.answers dt{margin-top:12px;font-weight:600}.answers dd{margin:0}
.card table{font-size:14px}.card td:first-child{min-width:160px}
h2 a{color:inherit}
`

export const docsIndex = (document: Json, tags: readonly TagDocs[]): Html => {
  const { description } = document['info'] as { description: string }
  return html`<header class="card"><p><a href="/">Watchpost</a></p><h1>The API</h1><p>${withCode(description)}</p>
<p>As a machine reads it: <a href="/openapi.json">/openapi.json</a>. Guides are in the folder ${code('docs/')} of the sources.</p>
<div data-search hidden><label for="words">Look for an operation <span class="quiet">(press /)</span></label><input id="words" type="search" autocomplete="off"><p class="quiet" data-count aria-live="polite"></p></div></header>
${tags.map(tagItem)}`
}

const tagItem = ({ tag, slug, operations }: TagDocs): Html =>
  html`<section class="card" data-group><h2><a href="/docs/${slug}">${tag}</a></h2><ul class="operations">${operations.map(
    ({ id, method, path, operation }) =>
      html`<li data-words="${`${tag} ${method} ${path} ${String(operation['summary'] ?? '')}`}"><b class="method">${method}</b> <a href="/docs/${slug}#${id}">${String(operation['summary'] ?? id)}</a> <code>${path}</code></li>`,
  )}</ul></section>`

/** A page has so many bytes of operations; what is more goes on, on a page of its own. */
const maxOfOperations = 100 * 1024

/** The operations of a tag, over as many pages as they need: `checks`, `checks-2` … */
export const inPages = (docs: TagDocs, baseUrl: string): TagDocs[] => {
  const pages: TagDocs[] = []
  let size = Number.POSITIVE_INFINITY
  for (const operation of docs.operations) {
    size += markupOf(operationSection(operation, baseUrl)).length
    const last = pages.at(-1)
    if (last !== undefined && size <= maxOfOperations) last.operations.push(operation)
    else {
      const number = pages.length + 1
      const slug = number === 1 ? docs.slug : `${docs.slug}-${number}`
      pages.push({ tag: docs.tag, slug, operations: [operation] })
      size = 0
    }
  }
  return pages
}

export const tagPage = ({ tag, operations }: TagDocs, others: readonly TagDocs[], baseUrl: string): Html =>
  html`<header class="card"><p><a href="/docs">The API</a></p><h1>${tag}</h1><ul class="operations">${operations.map(
    ({ id, method, path }) => html`<li><b class="method">${method}</b> <a href="#${id}">${path}</a></li>`,
  )}</ul>${others.length === 0 ? null : html`<p>More of it: ${others.map(({ slug, operations: [first] }) => html`<a href="/docs/${slug}">from ${first?.path ?? slug} on</a> `)}</p>`}</header>
${operations.map((each) => operationSection(each, baseUrl))}`

export const schemaPage = (name: string, schema: Json): Html =>
  html`<section class="card"><p><a href="/docs">The API</a></p><h1>${name}</h1>${schema['description'] === undefined ? null : html`<p>${withCode(String(schema['description']))}</p>`}${schemaTable(schema)}</section>`
