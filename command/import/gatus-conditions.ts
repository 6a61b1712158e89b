/** Conditions of Gatus as assertions. What has none like it is told, and the check is made without it. */
import type { Json } from '../kinds.ts'
import { assertion, type Imported } from './imported.ts'

export type Asked = 'http' | 'tcp' | 'dns' | 'icmp'

const comparisons: Readonly<Record<string, string>> = {
  ...{ '==': 'EQUALS', '!=': 'NOT_EQUALS', '<': 'LESS_THAN', '>': 'GREATER_THAN' },
}

type Of = { name: string; asked: Asked }
type Condition = { left: string; operator: string; right: string }

/** null: it is told why not, or a check without it says the same. */
export const assertionOf = (imported: Imported, { name, asked }: Of, condition: string): Json | null => {
  const [, left = '', operator = '', right = ''] =
    /^\s*(.+?)\s*(==|!=|<=|>=|<|>)\s*(.*?)\s*$/.exec(condition) ?? []
  // A check whose target takes no connection fails anyhow.
  if (left === '[CONNECTED]' && operator === '==' && right === 'true') return null
  const exact = wholeNumbers({ left, operator, right })
  const found = exact === null ? null : byPlace(asked, exact)
  if (found === null) imported.note(name, `the condition "${condition}" is not carried over`)
  return found
}

/** Of whole numbers `<= 5` is `< 6`; times and codes are such. */
const wholeNumbers = ({ left, operator, right }: Condition): Condition | null => {
  if (operator !== '<=' && operator !== '>=') return { left, operator, right }
  if (!/^\d+$/.test(right)) return null
  return operator === '<='
    ? { left, operator: '<', right: String(Number(right) + 1) }
    : { left, operator: '>', right: String(Number(right) - 1) }
}

const byPlace = (asked: Asked, condition: Condition): Json | null => {
  const { left, operator, right } = condition
  const comparison = comparisons[operator] ?? 'EQUALS'
  if (left === '[STATUS]' && asked === 'http') return statusOf(comparison, right)
  if (left === '[RESPONSE_TIME]') return timeOf(asked, comparison, right)
  if (left === '[DNS_RCODE]' && asked === 'dns') return assertion('RESPONSE_CODE', comparison, right)
  if (left === '[BODY]') return bodyOf(asked, condition)
  return asked === 'http' ? partOfBody(condition, comparison) : null
}

const statusOf = (comparison: string, right: string): Json | null =>
  /^\d{3}$/.test(right) ? assertion('STATUS_CODE', comparison, right) : null

const timeOf = (asked: Asked, comparison: string, right: string): Json | null =>
  /^\d+$/.test(right) && comparison.endsWith('_THAN')
    ? assertion(
        asked === 'icmp' ? 'LATENCY' : 'RESPONSE_TIME',
        comparison,
        right,
        asked === 'icmp' ? 'avg' : '',
      )
    : null

/** `pat(*text*)`: somewhere in it. */
const bodyOf = (asked: Asked, { operator, right }: Condition): Json | null => {
  const source = { http: 'TEXT_BODY', tcp: 'RESPONSE_DATA', dns: 'TEXT_ANSWER', icmp: null }[asked]
  const [, part] = /^pat\(\*([^*]+)\*\)$/.exec(right) ?? []
  if (source === null || /^(pat|any|len|has)\(/.test(right) !== (part !== undefined)) return null
  if (part !== undefined && (operator === '==' || operator === '!='))
    return assertion(source, operator === '==' ? 'CONTAINS' : 'NOT_CONTAINS', part)
  // An answer of name servers is more than the address alone.
  if (asked === 'dns') return operator === '==' ? assertion(source, 'CONTAINS', right) : null
  return assertion(source, comparisons[operator] ?? 'EQUALS', right)
}

/** `[BODY].a[0].b` and `has([BODY].a)`. */
const partOfBody = ({ left, operator, right }: Condition, comparison: string): Json | null => {
  const [, asksFor] = /^has\(\[BODY\](\.[\w.[\]]+)\)$/.exec(left) ?? []
  if (asksFor !== undefined && operator === '==')
    return assertion('JSON_BODY', right === 'true' ? 'NOT_EMPTY' : 'IS_EMPTY', '', `$${asksFor}`)
  const [, path] = /^\[BODY\]([.[][\w.[\]]+)$/.exec(left) ?? []
  if (path === undefined) return null
  const [, part] = /^pat\(\*([^*]+)\*\)$/.exec(right) ?? []
  if (part !== undefined)
    return assertion('JSON_BODY', operator === '==' ? 'CONTAINS' : 'NOT_CONTAINS', part, `$${path}`)
  return /^(pat|any|len|has)\(/.test(right) ? null : assertion('JSON_BODY', comparison, right, `$${path}`)
}
