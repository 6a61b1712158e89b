/**
 * Patterns mean to RE2 what they mean to others. RE2's own `.` is anything but a line feed, its `\s` five characters of ASCII, and
 * its `(?m)$` stands before a line feed only: in JavaScript (ECMA-262, sections 12.3 and 22.2.2) there are more ends of lines, and
 * all blanks of Unicode; in I-Regexp (RFC 9485), which JSON paths use, `.` also leaves out the carriage return. Pure.
 */

export type PatternDialect = 'javascript' | 'i-regexp'

const dots: Record<PatternDialect, string> = {
  javascript: '[^\n\r\u2028\u2029]',
  'i-regexp': '[^\n\r]',
}

/** RE2 cannot look ahead: the end of a line may have to be taken with it. */
const lineEnd = '(?:\r?$|[\r\u2028\u2029])'

/** Ranges of a class, as characters: escapes of ours must not look like repetitions. */
const blanks = '\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'
const others =
  '\u0000-\b\u000e-\u001f!-\u009f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\u{10ffff}'

/** The flags that hold, and those of the groups around. */
type Position = { inClass: boolean; flags: string; outer: string[] }

/** One element of RE2's syntax that matters here; anything else is a character. */
const element =
  /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[:\^?[a-z]+:\]|\[\^?|\]|\(\?(?<set>[a-zA-Z]*(?:-[a-zA-Z]+)?)(?<end>[:)])|[().$]/g

/** A pattern in RE2's syntax that matches as the dialect's does. */
export const inDialect = (pattern: string, dialect: PatternDialect): string => {
  const at: Position = { inClass: false, flags: '', outer: [] }
  return pattern.replace(element, (found: string, ...rest: unknown[]) => {
    const { set, end } = rest.at(-1) as { set?: string; end?: string }
    if (found === '\\s') return at.inClass ? blanks : `[${blanks}]`
    if (found === '\\S') return at.inClass ? others : `[^${blanks}]`
    if (found.startsWith('\\') || found.startsWith('[:')) return found
    if (at.inClass || found.startsWith('[')) at.inClass = found !== ']'
    else if (set !== undefined) setFlags(at, set, end === ':')
    else if (found === '(') at.outer.push(at.flags)
    else if (found === ')') at.flags = at.outer.pop() ?? ''
    else if (found === '.' && !at.flags.includes('s')) return dots[dialect]
    else if (found === '$' && at.flags.includes('m') && dialect === 'javascript') return lineEnd
    return found
  })
}

/** `(?s)` holds until its group ends, `(?s:` for a group of its own. */
const setFlags = (at: Position, set: string, isGroup: boolean): void => {
  if (isGroup) at.outer.push(at.flags)
  const [on = '', off = ''] = set.split('-')
  at.flags = [...at.flags, ...on].filter((flag) => !off.includes(flag)).join('')
}
