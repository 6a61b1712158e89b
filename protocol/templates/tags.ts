/**
 * Tags in texts: `{{NAME}}`, `{{{NAME}}}`, `{{helper "text" NAME}}`; `\{{` stands for the braces themselves. Pure. A text
 * is read once, from left to right, in time proportional to it: what is put in is never read for tags.
 */
type Tag = {
  /** With its braces. */
  written: string
  content: string
  /** Three braces: the value goes in as it is. */
  isRaw: boolean
  /** Where in the text it stands. */
  index: number
}

const tags = /(\\)?(?:\{\{\{([^{}]*)\}\}\}|\{\{([^{}]*)\}\})/g

export const fillTags = (text: string, fill: (tag: Tag) => string): string =>
  text.includes('{{')
    ? text.replace(tags, (written: string, escaped?: string, raw?: string, encoded = '', index = 0) =>
        escaped === undefined
          ? fill({ written, content: raw ?? encoded, isRaw: raw !== undefined, index })
          : written.slice(1),
      )
    : text

/** The text as a template that stands for itself; tags that are in `template` stay tags. */
export const literal = (text: string, template = ''): string => {
  const kept = new Set(template.match(tags))
  return text.replaceAll(tags, (tag) => (kept.has(tag) ? tag : `\\${tag}`))
}

type Word = { text: string; isQuoted: boolean }

const words = /"([^"]*)"|'([^']*)'|([^\s"']+)/g

/** What a tag names, and the values behind the name. */
export const wordsOf = (content: string): { name: string; args: Word[] } => {
  const [first, ...args] = [...content.matchAll(words)].map(([, double, single, bare]) => ({
    text: double ?? single ?? bare ?? '',
    isQuoted: bare === undefined,
  }))
  return { name: first?.text ?? '', args }
}
