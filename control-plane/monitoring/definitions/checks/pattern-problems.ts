import type { Violation } from '../../../../protocol/validate.ts'
import { violation } from '../../../platform/words/errors.ts'

type Patterned = { source?: string; property?: string; regex?: string | null }

/** Sources that look for a pattern in a text; of others `property` is a name, a path or a statistic. */
const textSources: ReadonlySet<string> = new Set(['TEXT_BODY', 'TEXT_ANSWER', 'RESPONSE_DATA'])

const inSlashes = /^\/(?<pattern>.+)\/(?<flags>[a-z]*)$/s

/**
 * Patterns as JavaScript writes them, `/ok/i`: here the slashes would belong to the text that is looked for, and nothing would match.
 * `path`: where in the body the assertions are.
 */
export const patternProblems = (path: string, assertions: readonly unknown[] | null = []): Violation[] =>
  ((assertions ?? []) as readonly Patterned[]).flatMap(({ source = '', property = '', regex }, index) =>
    Object.entries({ property: textSources.has(source) ? property : '', regex: regex ?? '' }).flatMap(
      ([name, text]) => {
        const { pattern, flags = '' } = inSlashes.exec(text)?.groups ?? {}
        if (pattern === undefined) return []
        const plain = `${/[ims]/.test(flags) ? `(?${flags.replace(/[^ims]/g, '')})` : ''}${pattern}`
        return [violation(`${path}.${index}.${name}`, 'pattern', hint(plain, pattern))]
      },
    ),
  )

const hint = (plain: string, pattern: string): string =>
  `is a regular expression without slashes around it: write ${JSON.stringify(plain)}, or ${JSON.stringify(`\\/${pattern}\\/`)} where the slashes are part of the text`
