/**
 * Forms of pages (application/x-www-form-urlencoded, URL standard section 5): names are dotted paths into the body, `request.url` or
 * `request.assertions.0.target`; `name[]` adds to a list, and of a name that comes twice the last one counts, so that a hidden field before
 * a checkbox says what it means unchecked. An empty text is left out: that is what a field nobody filled in sends. Pure.
 */
import { ApiError } from '../../../words/errors.ts'

const maxFields = 2000
const maxLevels = 12
const maxItems = 500
const segment = /^[A-Za-z0-9_-]{1,100}$/
const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

type Tree = { [name: string]: Tree | string | string[] }

/** @throws ApiError 400 for names that are no path */
export const readForm = (text: string): unknown => {
  const tree: Tree = {}
  let fields = 0
  for (const [name, value] of new URLSearchParams(text)) {
    fields += 1
    if (fields > maxFields) throw new ApiError(400, `The form has more than ${maxFields} fields`)
    put(tree, name, value)
  }
  return listsOf(tree)
}

const put = (tree: Tree, name: string, value: string): void => {
  const isList = name.endsWith('[]')
  const path = (isList ? name.slice(0, -2) : name).split('.')
  const last = path.at(-1) ?? ''
  if (path.length > maxLevels || path.some((part) => !segment.test(part) || forbidden.has(part)))
    throw new ApiError(400, `The form has a field whose name is not known: ${name.slice(0, 100)}`)
  let at = tree
  for (const part of path.slice(0, -1)) {
    const child = at[part]
    const next: Tree = typeof child === 'object' && !Array.isArray(child) ? child : {}
    at[part] = next
    at = next
  }
  if (!isList) {
    if (value === '') delete at[last]
    else at[last] = value
    return
  }
  const known = at[last]
  const list = Array.isArray(known) ? known : []
  if (value !== '') list.push(value)
  at[last] = list
}

/** What has numbers for names is a list, in their order; rows that were left empty are not there. */
const listsOf = (tree: Tree): unknown => {
  const entries = Object.entries(tree).map(([name, value]): [string, unknown] => [
    name,
    typeof value === 'object' && !Array.isArray(value) ? listsOf(value) : value,
  ])
  if (entries.length === 0 || !entries.every(([name]) => /^\d{1,4}$/.test(name)))
    return Object.fromEntries(entries)
  if (entries.length > maxItems) throw new ApiError(400, `A list of the form has more than ${maxItems} rows`)
  return entries
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([, value]) => value)
    .filter((value) => !(typeof value === 'object' && value !== null && Object.keys(value).length === 0))
}
