/** One operation of the API document as a section of a page. Pure. */
import { type Html, html } from '../../platform/web/html/html.ts'
import { block, code, folded } from '../../platform/web/html/section.ts'
import type { Json, Operation } from './read-document.ts'
import { schemaTable, typeText, withCode } from './schema-table.ts'

export const operationSection = ({ id, method, path, operation }: Operation, baseUrl: string): Html => {
  const parameters = (operation['parameters'] ?? []) as Json[]
  return html`<section class="card" id="${id}"><h2>${String(operation['summary'] ?? id)}</h2>
<p><b class="method">${method}</b> ${code(path)}${operation['deprecated'] === true ? ' Deprecated.' : null}</p>
${operation['description'] === undefined ? null : html`<p>${withCode(String(operation['description']))}</p>`}
<h3>Try it</h3>${block(`Example of ${method} ${path}`, curlOf({ method, path, operation }, baseUrl))}
${parameters.length === 0 ? null : folded(`Parameters (${parameters.length})`, parameterTable(parameters), true)}
${bodyOf(operation)}
${folded('Answers', answers({ method, path, operation }))}
</section>`
}

const parameterTable = (parameters: readonly Json[]): Html =>
  html`<table><caption class="hidden">Parameters</caption><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${parameters.map(
    (each) =>
      html`<tr><td>${code(String(each['name']))} <span class="quiet">${String(each['in'])}${each['required'] === true ? ', required' : null}</span></td><td>${typeText(each['schema'] as Json)}</td><td>${withCode(String(each['description'] ?? ''))}</td></tr>`,
  )}</tbody></table>`

const contentOf = (part: Json): [type: string, content: Json] | undefined => {
  const content = (part['content'] ?? {}) as Record<string, Json>
  return Object.entries(content)[0]
}

const bodyOf = (operation: Json): Html | null => {
  const [type, content] = contentOf((operation['requestBody'] ?? {}) as Json) ?? []
  if (type === undefined || content === undefined) return null
  return folded(`Body (${type})`, schemaTable(content['schema'] as Json), true)
}

const answers = ({ method, path, operation }: Request): Html =>
  html`<dl class="answers">${Object.entries((operation['responses'] ?? {}) as Record<string, Json>).map(
    ([status, response]) => {
      const [type, content] = contentOf(response) ?? []
      const isSuccess = Number(status) < 400
      return html`<dt>${status} <span class="quiet">${withCode(String(response['description'] ?? ''))}${type === undefined ? null : `, ${type}`}</span></dt><dd>${
        content === undefined || !isSuccess
          ? null
          : [
              schemaTable(content['schema'] as Json),
              example(`${status} of ${method} ${path}`, content['example']),
            ]
      }</dd>`
    },
  )}</dl>`

const maxExample = 3000

const example = (label: string, value: unknown): Html | null => {
  if (value === undefined || typeof value === 'string') return null
  const text = JSON.stringify(value, null, 2)
  return block(label, text.length > maxExample ? `${text.slice(0, maxExample)}\n…` : text)
}

type Request = { method: string; path: string; operation: Json }

/** What a terminal takes: quoted for a POSIX shell. */
export const curlOf = ({ method, path, operation }: Request, baseUrl: string): string => {
  const parameters = (operation['parameters'] ?? []) as Json[]
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const found = parameters.find((each) => each['in'] === 'path' && each['name'] === name)
    return encodeURIComponent(String(found?.['example'] ?? whole))
  })
  const isOpen = Array.isArray(operation['security']) && operation['security'].length === 0
  const [type, content] = contentOf((operation['requestBody'] ?? {}) as Json) ?? []
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(`${baseUrl}${filled}`)}`,
    ...(isOpen ? [] : [`-H "authorization: Bearer $WATCHPOST_API_KEY"`]),
    ...(type === undefined ? [] : [`-H ${quoted(`content-type: ${type}`)}`]),
    ...(content === undefined || type !== 'application/json'
      ? []
      : [`-d ${quoted(JSON.stringify(content['example'] ?? {}, null, 2))}`]),
  ].join(' \\\n  ')
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
