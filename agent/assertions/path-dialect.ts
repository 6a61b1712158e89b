/**
 * What paths of older checks say that RFC 9535 does not: `.length` in filters, `[(@.length-1)]` for the last element, and a dot
 * before a bracket. And what it says that the library does not.
 */
import { JSONPathNode } from 'json-p3'

/** Texts, which are left alone, or one of the older spellings. */
const spelling =
  /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\[\s*\(\s*@\.length\s*-\s*(?<fromEnd>\d+)\s*\)\s*\]|(?<dots>\.+)\[/g

/** The path as RFC 9535 spells it. */
export const standardPath = (path: string): string =>
  path.replace(spelling, (found: string, ...rest: unknown[]) => {
    const { fromEnd, dots } = rest.at(-1) as { fromEnd?: string; dots?: string }
    if (fromEnd !== undefined) return `[-${Number(fromEnd)}]`
    return dots === '.' ? '[' : found
  })

/** What stands for `.length` at the end of a query in a filter: of a list or a text how long it is, else the member of that name. */
export const lengthNode = (node: JSONPathNode): JSONPathNode | null => {
  const { value, location, root } = node
  const hasLength = Array.isArray(value) || typeof value === 'string'
  return hasLength ? new JSONPathNode(value.length, location.concat('length'), root) : null
}

/** RFC 9535 section 2.4.4 counts Unicode scalar values, and not the halves of surrogate pairs. */
export const characterCount = (text: string): number => {
  let count = 0
  for (const _ of text) count += 1
  return count
}
