/**
 * Takes secrets out of what leaves the agent. Pure. One scrubber per job, used once, at the one door (`run-job.ts`).
 *
 * Words: a *secret* is a value that nobody may read in a result, a *form* one way to write it. Each secret is found raw,
 * percent-encoded (any of its characters, in any case, once or several times over), escaped for JSON or HTML, as hex, and
 * inside base64 at all three alignments; also in lower case, as a host name would write it, and cut off where a text
 * was cut.
 *
 * Invariant: what comes out has the shape of what went in. So values that are shorter than four characters, or part of
 * a word of the protocol ("true", "EQUALS", "https://"), are not secrets: hiding them would hide the result.
 */
import { comparisons } from '../protocol/assertion.ts'
import type { Observation } from '../protocol/result.ts'
import { base64Forms, hexForms, latin1Of, secretForms, shortestSecret } from '../protocol/secret-forms.ts'

export const hidden = '[secret]'

/** Headers that identify somebody: their values are never shown, whatever the check says. Lower case. */
export const sensitiveHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'proxy-authorization',
])

const commonWords = [
  ...comparisons,
  ...['http://', 'https://', 'true', 'false', 'null', 'undefined', 'utf8', 'base64', 'IPv4', 'IPv6'],
  ...['CNAME', 'HTTPS', 'AAAA', 'DEBUG', 'INFO', 'WARN', 'ERROR'],
]

export type Scrubber = {
  text(text: string): string
  observation(observation: Observation): Observation
}

export const createScrubber = (secrets: Iterable<string>): Scrubber => {
  const values = [...new Set(secrets)].filter(isSecret).toSorted((a, b) => b.length - a.length)
  if (values.length === 0) return { text: (text) => text, observation: (observation) => observation }
  const replacers = values.map(createReplacer)
  const text = (given: string): string => {
    if (given.length < shortestSecret) return given
    let clean = given
    for (const replace of replacers) clean = replace(clean)
    return clean.length < shortestCut ? clean : withoutCutSecret(clean, values)
  }
  return { text, observation: (observation) => scrubbed(observation, text) }
}

const isSecret = (value: string): boolean =>
  value.trim().length >= shortestSecret && !commonWords.some((word) => word.includes(value))

/** No spelling of a byte takes more characters (a percent sign that was itself encoded three times). */
const longestSpelling = 10

/** What to look for in bytes that are read as Latin-1; no match is longer than `longest` characters. */
export const needlesOf = (secrets: Iterable<string>): { patterns: RegExp[]; longest: number } => {
  const values = [...new Set(secrets)].filter(isSecret)
  const patterns = values.map(
    (value) =>
      new RegExp(
        value.length > maxMixedLength
          ? secretForms(value)
              .map((form) => literal(latin1Of(new TextEncoder().encode(form))))
              .join('|')
          : mixedForms(value).join('|'),
        'g',
      ),
  )
  const lengths = values.map((value) => new TextEncoder().encode(value).length * longestSpelling)
  return { patterns, longest: Math.max(0, ...lengths) }
}

/** Longer values are not found in mixed spellings: their patterns would cost more than the run. */
const maxMixedLength = 512

type Replacer = (text: string) => string

const createReplacer = (value: string): Replacer => {
  if (value.length > maxMixedLength) {
    const forms = secretForms(value).toSorted((a, b) => b.length - a.length)
    return (text) => forms.reduce((clean, form) => clean.replaceAll(form, hidden), text)
  }
  const pattern = new RegExp(mixedForms(value).join('|'), 'g')
  return (text) => text.replace(pattern, hidden)
}

const mixedForms = (value: string): string[] => {
  const lower = value.toLowerCase()
  return [
    ...[value, ...(lower === value ? [] : [lower])].map((spelling) =>
      [...spelling].map((one) => ofAscii.get(one) ?? spellingsOf(one)).join(''),
    ),
    ...hexForms(value).map((form) => form.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)),
    ...base64Forms(value).map((form) =>
      form.replace(/[+/]/g, (sign) => (sign === '+' ? '[+-]' : '(?:\\\\{0,4}/|_)')),
    ),
  ]
}

/** A character in any of its spellings. */
const spellingsOf = (character: string): string => {
  const bytes = new TextEncoder().encode(character)
  const latin1 = String.fromCharCode(...bytes)
  const percent = [...bytes].map((byte) => `%(?:25){0,3}${hexDigits(byte)}`).join('')
  const units = character.split('').map((unit) => `\\\\{1,4}u${hexDigits(unit.charCodeAt(0), 4)}`)
  const entity = htmlEntities[character]
  return `(?:${[
    character === '"' || character === '\\' || character === '/'
      ? `\\\\{0,4}${literal(character)}`
      : literal(character),
    ...(latin1 === character ? [] : [literal(latin1)]),
    percent,
    units.join(''),
    ...(character === ' ' ? ['\\+'] : []),
    ...(controls[character] === undefined ? [] : [`\\\\{1,4}${controls[character]}`]),
    ...(entity === undefined ? [] : [entity]),
  ].join('|')})`
}

const htmlEntities: Record<string, string> = {
  '&': '&(?:amp|#38|#x26);',
  '<': '&(?:lt|#60|#x3[cC]);',
  '>': '&(?:gt|#62|#x3[eE]);',
  '"': '&(?:quot|#34|#x22);',
  "'": '&(?:apos|#0?39|#x27);',
}

const controls: Record<string, string> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' }

const hexDigits = (value: number, width = 2): string =>
  value
    .toString(16)
    .padStart(width, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** Nearly all characters of nearly all secrets. */
const ofAscii: ReadonlyMap<string, string> = new Map(
  Array.from({ length: 128 }, (_, code) => {
    const character = String.fromCharCode(code)
    return [character, spellingsOf(character)]
  }),
)

/** Nothing shorter is ever cut (`brief` in assertions/evaluate.ts cuts first). */
const shortestCut = 200

/** A text that was cut inside a secret ends, or has before its last "…", with the start of one. */
const withoutCutSecret = (text: string, values: readonly string[]): string => {
  const dots = text.lastIndexOf('…')
  let clean = text
  // The later place first, so that the other stays where it is.
  for (const end of dots === -1 ? [text.length] : [text.length, dots]) {
    const start = startOfSecret(text, end, values)
    if (start !== end) clean = `${clean.slice(0, start)}${hidden}${clean.slice(end)}`
  }
  return clean
}

const startOfSecret = (text: string, end: number, values: readonly string[]): number => {
  for (const value of values)
    for (let length = Math.min(value.length - 1, end); length >= shortestSecret; length -= 1)
      if (text[end - length] === value[0] && text.startsWith(value.slice(0, length), end - length))
        return end - length
  return end
}

const scrubbed = (observation: Observation, text: (text: string) => string): Observation => {
  const clean = scrubValue(observation, text) as Observation
  const { failure } = clean
  if (failure === null) return clean
  return {
    ...clean,
    failure: { ...failure, code: failure.code.slice(0, 100), message: failure.message.slice(0, 4096) },
  }
}

/** Properties that show a value as the target sent it, where a number can be a secret too. */
const observed = new Set(['actual', 'target'])

const scrubValue = (value: unknown, text: (text: string) => string): unknown => {
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value)) return value.map((item) => scrubValue(item, text))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      text(key),
      typeof item === 'number' && observed.has(key) ? scrubNumber(item, text) : scrubValue(item, text),
    ]),
  )
}

const scrubNumber = (value: number, text: (text: string) => string): number | string => {
  const clean = text(String(value))
  return clean === String(value) ? value : clean
}
