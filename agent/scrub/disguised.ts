/**
 * Whether a page's text shows a secret in disguise: backwards, with something between its characters, in pieces, shifted in the alphabet, or as
 * numbers. What spells it plainly or in a usual encoding is found elsewhere (protocol/secrets) and taken out; here the text is not mended but
 * withheld. Codes are without number: this makes the simple ones useless, and docs/security.md says so. Pure.
 */
import { createSecretFinder } from '../../protocol/secrets/find-secrets.ts'
import { shortestSecret } from '../../protocol/secrets/secret-forms.ts'

/** Shorter ones stand in ordinary text by chance once what is between their characters does not count. */
const longEnough = 8
const shortestPiece = 4
const maxPieces = 4
const alphabet = 26

/** Letters and digits alone, in one case and without accents or styles. */
const bareOf = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

const backwards = (text: string): string => [...text].toReversed().join('')

/** Of an accessibility tree what is said, without roles and attributes, which stand between the parts of a text that was split. */
const wordsOf = (tree: string): string =>
  tree.replace(/^\s*- (\/?[a-z]+\b:?)?/gm, '').replace(/\[[a-z-]+(=[^\]\s]*)?\]/g, '')

const shifted = (text: string, by: number): string =>
  bareOf(
    text
      .toLowerCase()
      .replace(/[a-z]/g, (letter) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + by) % alphabet))),
  )

const codes: readonly [form: RegExp, base: number][] = [
  [/\b\d{2,3}\b/g, 10],
  [/\b(?:0x|u\+00)?[\da-f]{2}\b/gi, 16],
  [/\b0?[0-3]?[0-7]{2}\b/g, 8],
  [/\b[01]{7,8}\b/g, 2],
]

/** What numbers in the text stand for, as characters and as bytes, in each base. */
const decodedNumbers = (text: string): string[] =>
  codes.flatMap(([form, base]) => {
    const bytes = Buffer.from(
      (text.match(form) ?? []).map((number) => Number.parseInt(number.replace(/^(0x|u\+00)/i, ''), base)),
    )
    return [bytes.toString('latin1'), bytes.toString('utf8')]
  })

/** In at most so many pieces, none so short that it says nothing, in any order and with anything between. */
const isInPieces = (text: string, secret: string): boolean => {
  let from = 0
  for (let pieces = 0; pieces < maxPieces; pieces += 1) {
    const length = longestPrefix(text, secret.slice(from))
    if (length < shortestPiece) return false
    from += length
    const left = secret.length - from
    if (left === 0) return true
    if (left < shortestPiece) return text.includes(secret.slice(-shortestPiece))
  }
  return false
}

const longestPrefix = (text: string, secret: string): number => {
  let [holds, fails] = [0, secret.length + 1]
  while (fails - holds > 1) {
    const middle = Math.floor((holds + fails) / 2)
    if (text.includes(secret.slice(0, middle))) holds = middle
    else fails = middle
  }
  return holds
}

/** With little between its characters; for secrets that are too short for more. */
const spelledOut = (bare: string): RegExp => new RegExp([...bare].join('[^\\p{L}\\p{N}]{0,5}'), 'u')

type Disguise = (text: { words: string; bare: string; numbers: readonly string[] }) => boolean

const disguiseOf = (secret: string): Disguise => {
  const bare = bareOf(secret)
  const reversed = backwards(bare)
  if (bare.length < shortestPiece) return () => false
  if (bare.length < longEnough) {
    const forms = [spelledOut(bare), spelledOut(reversed)]
    return ({ words, numbers }) => forms.some((form) => [words, ...numbers].some((text) => form.test(text)))
  }
  const shifts = Array.from({ length: alphabet - 1 }, (_, by) => shifted(secret, by + 1))
  const inOther = [...shifts, ...shifts.map(backwards)].filter((form) => form !== bare)
  return ({ bare: text, numbers }) =>
    isInPieces(text, bare) ||
    isInPieces(text, reversed) ||
    inOther.some((form) => text.includes(form)) ||
    numbers.some((number) => number.includes(bare) || number.includes(reversed))
}

/** For texts in which what is spelled plainly has been taken out already. */
export const createDisguiseFinder = (secrets: readonly string[]): ((text: string) => boolean) => {
  const values = [...new Set(secrets)].filter(({ length }) => length >= shortestSecret)
  if (values.length === 0) return () => false
  const disguises = values.map(disguiseOf)
  const plain = createSecretFinder({ anyCase: values })
  return (text) => {
    if (plain.inText(backwards(text)).length > 0) return true
    const words = wordsOf(text).normalize('NFKD').toLowerCase()
    const seen = { words, bare: bareOf(words), numbers: decodedNumbers(words).map(bareOf) }
    return disguises.some((shows) => shows(seen))
  }
}
