/** What texts and numbers among the values may be. Patterns are in the syntax that Go and JavaScript share. */
export type JsonSchema = { [keyword: string]: unknown }

/** An empty text leaves a value out, unless the pattern says otherwise. */
const optional = (pattern: string): string => `^(${pattern})?$`

export const text = (pattern: string, maxLength?: number): JsonSchema => ({
  type: 'string',
  pattern,
  ...(maxLength === undefined ? {} : { maxLength }),
})

export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })

export const count: JsonSchema = { type: 'integer', minimum: 0 }
export const integer = (minimum: number, maximum: number): JsonSchema => ({
  type: 'integer',
  minimum,
  maximum,
})

/** Texts of the same length between two numbers, as alternatives of a pattern. */
const between = (from: string, to: string): string[] => {
  if (from === '') return ['']
  const [first, last, rest] = [Number(from[0]), Number(to[0]), from.length - 1]
  if (first === last) return between(from.slice(1), to.slice(1)).map((tail) => `${first}${tail}`)
  const [lowest, highest] = ['0'.repeat(rest), '9'.repeat(rest)]
  const isWholeBelow = from.slice(1) === lowest
  const isWholeAbove = to.slice(1) === highest
  const [begin, end] = [isWholeBelow ? first : first + 1, isWholeAbove ? last : last - 1]
  const digits = rest === 0 ? '' : rest === 1 ? '[0-9]' : `[0-9]{${rest}}`
  return [
    ...(isWholeBelow ? [] : between(from.slice(1), highest).map((tail) => `${first}${tail}`)),
    ...(begin > end ? [] : [`${begin === end ? begin : `[${begin}-${end}]`}${digits}`]),
    ...(isWholeAbove ? [] : between(lowest, to.slice(1)).map((tail) => `${last}${tail}`)),
  ]
}

/** A pattern of the whole numbers from `min` to `max`, without zeros in front. */
export const numbersPattern = (min: number, max: number): string => {
  const lengths = Array.from({ length: String(max).length }, (_, index) => index + 1)
  const alternatives = lengths.flatMap((length) => {
    const [least, most] = [length === 1 ? 0 : 10 ** (length - 1), 10 ** length - 1]
    const [from, to] = [Math.max(least, min), Math.min(most, max)]
    return from > to ? [] : between(String(from), String(to))
  })
  return `(${alternatives.join('|')})`
}

const byte = numbersPattern(0, 255)
const ipv4 = `${byte}(\\.${byte}){3}`
const group = '[0-9a-fA-F]{1,4}'
// RFC 4291: whole, or with one pair of colons that stands for zeros.
const ipv6 = `((${group}:){7}${group}|(${group}:){1,7}:|:(:${group}){1,7}|(${group}:){1,6}(:${group}){1,6}|::([fF]{4}:)?${ipv4})`
export const ip = text(`^(${ipv4}|${ipv6})$`)
const networkFrom = (least: number): string =>
  `(${ipv4}(/${numbersPattern(least, 32)})?|${ipv6}(/${numbersPattern(least, 128)})?)`
export const network = networkFrom(0)
export const cidr = text(`^(${ipv4}/${numbersPattern(0, 32)}|${ipv6}/${numbersPattern(0, 128)})$`)
/** Of proxies: a network of everybody would let every client name any address. */
export const proxies: JsonSchema = listOf(text(`^(loopback|private|${networkFrom(1)})$`))
export const nameServer = `(${ipv4}(:${numbersPattern(1, 65_535)})?|${ipv6}|\\[${ipv6}\\](:${numbersPattern(1, 65_535)})?)`
export const listText = (item: string): string => optional(`${item}([ ,]+${item})*`)

/** Names of objects and of the entries of secrets and config maps. */
const label = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?'
const objectPattern = `${label}(\\.${label})*`
export const objectName = text(`^${objectPattern}$`, 253)
export const optionalObject = text(optional(objectPattern), 253)
export const optionalLabel = text(optional('[a-z]([-a-z0-9]{0,61}[a-z0-9])?'))
export const entry = text('^[-._a-zA-Z0-9]+$', 253)
export const host = text(`^(\\*\\.)?${objectPattern}$`, 253)

const qualified = '([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?'
/** What is said of a name that is wrong has the path of the map: `propertyNames` would leave it out. */
export const mapOf = (names: string, values: JsonSchema): JsonSchema => ({
  type: 'object',
  patternProperties: { [names]: values },
  additionalProperties: false,
})
export const annotations = mapOf(`^${qualified}$`, { type: 'string' })
export const labels = mapOf(`^${qualified}$`, text(optional('[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?')))

/** Quantities of Kubernetes; those of memory and volumes are whole bytes. */
export const quantityPattern = '^[0-9]+(\\.[0-9]+)?([EPTGM]i?|Ki|[kmun]|[eE][0-9]{1,2})?$'
export const quantity: JsonSchema = { type: ['string', 'number'], pattern: quantityPattern, minimum: 0 }
export const bytes: JsonSchema = {
  type: ['string', 'integer'],
  pattern: '^[1-9][0-9]*(\\.[0-9]+)?([EPTGM]i?|Ki|k)?$',
  minimum: 1,
}
export const share: JsonSchema = { type: ['integer', 'string'], pattern: '^[0-9]+%?$', minimum: 0 }

export const address = text('^(https?://[^/ ?#]+([/?#][^ ]*)?)?$')
/** Of Prometheus. */
export const interval = text('^([1-9][0-9]*(ms|[smhdwy]))+$')

const cronField = (min: number, max: number, names = ''): string => {
  const one = `(${numbersPattern(min, max)}${names})`
  const item = `(\\*|${one}(-${one})?)(/[1-9][0-9]*)?`
  return `(${item}(,${item})*|\\?)`
}
const months = '|(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)'
const days = '|(?i:sun|mon|tue|wed|thu|fri|sat)'
/** In the words of cron, as Kubernetes takes them. */
export const schedule = text(
  `^(@(yearly|annually|monthly|weekly|daily|midnight|hourly)|${[
    cronField(0, 59),
    cronField(0, 23),
    cronField(1, 31),
    cronField(1, 12, months),
    cronField(0, 6, days),
  ].join(' +')})$`,
)

/** Images: a registry without a scheme, a repository, a tag, a digest. */
export const registry = text(
  optional(`[a-zA-Z0-9][-a-zA-Z0-9.]*(:${numbersPattern(1, 65_535)})?(/[-a-z0-9._/]+)?`),
)
export const repository = text(optional('[-a-zA-Z0-9.]+(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*'))
export const tag: JsonSchema = {
  type: ['string', 'number'],
  pattern: optional('[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}'),
}
export const digest = text(optional('sha256:[0-9a-f]{64}'))
export const uuid = text(optional('[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'))
