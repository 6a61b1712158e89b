/** Which values of a job are secrets, and what finds them. Pure. */
import { comparisons } from '../../protocol/comparisons.ts'
import { createSecretFinder, type SecretFinder } from '../../protocol/secrets/find-secrets.ts'
import { shortestSecret } from '../../protocol/secrets/secret-forms.ts'

const commonWords = [
  ...comparisons,
  ...['http://', 'https://', 'true', 'false', 'null', 'undefined', 'utf8', 'base64', 'IPv4', 'IPv6'],
  ...['CNAME', 'HTTPS', 'AAAA', 'DEBUG', 'INFO', 'WARN', 'ERROR'],
]

/** Null when none of the values is a secret. */
export const finderOf = (secrets: Iterable<string>): SecretFinder | null => {
  const values = [...new Set(secrets)].filter(isSecret)
  if (values.length === 0) return null
  const words = values.filter(isWordInAnotherCase)
  return createSecretFinder({
    anyCase: words.length === 0 ? values : values.filter((value) => !words.includes(value)),
    exactCase: words,
  })
}

const isSecret = (value: string): boolean =>
  value.trim().length >= shortestSecret && !commonWords.some((word) => word.includes(value))

/** Such a value is hidden as it is written, not where its letters are those of the word. */
const isWordInAnotherCase = (value: string): boolean =>
  value.length <= longestWord && lowerWords.some((word) => word.includes(value.toLowerCase()))

const lowerWords = commonWords.map((word) => word.toLowerCase())
const longestWord = Math.max(...commonWords.map(({ length }) => length))
