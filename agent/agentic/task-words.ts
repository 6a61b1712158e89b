/** What a task in words says that the agent holds to: where it is about, and which variables it may use. Pure. */
import { fillTags, wordsOf } from '../../protocol/templates/tags.ts'

type TaskVariable = { key: string; value: string; secret: boolean }

export type TaskWords = {
  /** With the values of variables that are no secrets. */
  text: string
  /** Addresses as the task has them, and the origins of all that it names. */
  addresses: string[]
  origins: string[]
  /** Those that the task names. */
  variables: TaskVariable[]
  /** Names that nothing is set for. */
  missing: string[]
}

const trailing = /[.,;:!?'")\]}>]+$/
const addressPattern = /https?:\/\/[^\s"'<>`]+/gi
const hostPattern =
  /(?<![\w@/.-])((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}|localhost|(?:\d{1,3}\.){3}\d{1,3})(:\d{1,5})?(?![\w@-])/gi

export const wordsOfTask = (prompt: string, variables: readonly TaskVariable[]): TaskWords => {
  const byKey = new Map(variables.map((variable) => [variable.key, variable]))
  const named = new Set<string>()
  const missing = new Set<string>()
  const text = fillTags(prompt, ({ written, content }) => {
    const { name, args } = wordsOf(content)
    const variable = args.length === 0 ? byKey.get(name) : undefined
    if (variable === undefined) {
      missing.add(name)
      return written
    }
    named.add(name)
    return variable.secret ? written : variable.value
  })
  for (const { key } of variables) if (hasWord(prompt, key)) named.add(key)
  const addresses = (text.match(addressPattern) ?? []).flatMap((found) => {
    const url = URL.parse(found.replace(trailing, ''))
    return url === null ? [] : [url.href]
  })
  return {
    text,
    addresses,
    origins: [...new Set([...addresses.map((address) => new URL(address).origin), ...originsOfHosts(text)])],
    variables: variables.filter(({ key }) => named.has(key)),
    missing: [...missing],
  }
}

/** A host without a scheme is meant by either. */
const originsOfHosts = (text: string): string[] =>
  [...text.replace(addressPattern, ' ').matchAll(hostPattern)].flatMap(([, host = '', port = '']) =>
    ['https', 'http'].flatMap((scheme) => URL.parse(`${scheme}://${host}${port}`)?.origin ?? []),
  )

const hasWord = (text: string, word: string): boolean => {
  const escaped = word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}_-])${escaped}(?![\\p{L}\\p{N}_-])`, 'u').test(text)
}
