/**
 * Takes out of an error message what differs from one occurrence to the next, so that the same failure always has the
 * same text. What names the failure stays: words, error codes, host names, the statuses of HTTP, and the selectors and
 * arguments of calls (`getByRole('button')`). Pure.
 *
 * Applied to its own output it changes nothing. The order of the rules matters: long shapes before their parts.
 */

/** Longer messages are cut first: what tells failures apart comes early. */
const maxLength = 2000

type Rule = { pattern: RegExp; by: string | ((match: string, ...groups: string[]) => string) }

const number = String.raw`\d+(?:[.,_]\d+)*(?:e[-+]?\d+)?`
const unit = 'ms|msecs?|milliseconds?|µs|us|ns|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?'
const months = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'
const days = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? '
const zone = String.raw`(?:Z|UTC|GMT|[-+]\d{2}:?\d{2})`

const rules: readonly Rule[] = [
  // Terminal colours of test runners.
  { pattern: /\u001b\[[0-9;?]*[A-Za-z]/g, by: '' },
  { pattern: /\s+/g, by: ' ' },
  // Everything of an address after the path varies.
  { pattern: /(\bhttps?:\/\/[^\s"'`<>)\]}?#]+)[?#][^\s"'`<>)\]}]*/gi, by: '$1' },
  { pattern: /\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g, by: '<email>' },
  { pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, by: '<uuid>' },
  {
    pattern: new RegExp(
      String.raw`\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?${zone})?)?`,
      'g',
    ),
    by: '<time>',
  },
  {
    pattern: new RegExp(
      String.raw`\b(?:${days})?(?:\d{1,2} (?:${months})[a-z]*|(?:${months})[a-z]* \d{1,2}),? \d{4}(?: \d{2}:\d{2}(?::\d{2})?(?: ?${zone})?)?`,
      'g',
    ),
    by: '<time>',
  },
  { pattern: /(?<![\w:.[])\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?![\w:\]])/g, by: '<time>' },
  // IPv6 (RFC 4291 section 2.2), IPv4, each with a port or prefix length.
  {
    pattern:
      /(?<![\w:.])\[?(?:[0-9a-f]{0,4}:){2,8}(?:[0-9a-f]{1,4}|(?:\d{1,3}\.){3}\d{1,3})?(?:%\w+)?\]?(?::\d+|\/\d+)?(?![\w:])/gi,
    by: (match) => (/[0-9a-f]/i.test(match) && !/^:+$/.test(match) ? '<address>' : match),
  },
  { pattern: /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?:[:/]\d+)?(?![\w.]*\d)/g, by: '<address>' },
  // An argument of a call names what was looked for; any other quoted text is a value.
  { pattern: /(?<!\(|[\w)\]])"(?:[^"\\\n]|\\.){0,1000}"/g, by: '<value>' },
  { pattern: /(?<!\(|[\w)\]])'(?:[^'\\\n]|\\.){0,1000}'(?!\w)/g, by: '<value>' },
  { pattern: /(?<!\(|[\w)\]])`(?:[^`\\]|\\.){0,1000}`/g, by: '<value>' },
  { pattern: /[“«‘][^”»’]{0,1000}[”»’]/g, by: '<value>' },
  { pattern: /\b0x[0-9a-f]+\b/gi, by: '<hex>' },
  { pattern: /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}\b/gi, by: '<hex>' },
  // Opaque ids: long runs that mix letters and several digits.
  { pattern: /\b(?=(?:[A-Za-z_-]*\d){3})(?=\d*[A-Za-z])[A-Za-z0-9_-]{16,}\b/g, by: '<id>' },
  { pattern: new RegExp(String.raw`(?<![\w.])[-+]?${number} ?(?:${unit})\b(?!\()`, 'gi'), by: '<duration>' },
  { pattern: /(?<=[\w\]>-]):\d{1,5}(?![\w.:])/g, by: ':<port>' },
  { pattern: /(?<=[A-Za-z][_-])\d+(?!\w)/g, by: '<n>' },
  { pattern: new RegExp(String.raw`(?<![\w.])[-+]?${number}(?![A-Za-z])`, 'gi'), by: '<n>' },
]

/** Where a sentence speaks of a status, three digits are the failure's name and not a value. */
const statusPhrase = /\b(?:status(?: ?code)?|HTTP\/?(?:\d(?:\.\d)?)?)\b[^\n;]{0,48}/gi
const statusNumber = /(?<![\w.:])[1-5]\d\d(?![\w.:]*\w)(?! ?(?:ms|s|seconds|bytes)\b)/g

/** Digits that the rules must not see, as private-use characters (Unicode chapter 23.5). */
const hidden = 0xe000
const hide = (digits: string): string =>
  digits.replace(/\d/g, (digit) => String.fromCharCode(hidden + Number(digit)))
const show = (text: string): string =>
  text.replace(/[\ue000-\ue009]/g, (character) => String(character.charCodeAt(0) - hidden))

export const cleanErrorMessage = (message: string): string => {
  let text = message.slice(0, maxLength).replace(/[\ue000-\ue009]/g, '')
  text = text.replace(statusPhrase, (phrase) => phrase.replace(statusNumber, hide))
  for (const { pattern, by } of rules) text = text.replace(pattern, by as string)
  return show(text).trim()
}
