/** The worst paths and patterns that anybody has thought of, each with the document or the text that makes it bad. */

export type WorstCase = { source: 'JSON_BODY' | 'TEXT_BODY'; property: string; body: keyof typeof bodies }

const wide = Array.from({ length: 9000 }, (_, id) => ({
  id,
  text: 'a'.repeat(50),
  tags: ['b', `c${id % 7}`, id],
  more: { deep: { deeper: [id, { id }] } },
}))

const nested = (levels: number, inner: string): string =>
  `${'[1,'.repeat(levels)}${inner}${']'.repeat(levels)}`

/** What patterns end with: where it is missing, nobody looks any further. */
const endings = 'c x y z X Z ! , : x9 5 Q\n'

/** What the target answers: 1.26 MB each, or a little less of what is bad sooner. */
export const bodies = {
  wide: JSON.stringify(wide),
  numbers: JSON.stringify(Array.from({ length: 200_000 }, (_, index) => index)),
  deep: `[${Array.from({ length: 4000 }, () => nested(60, '{"a":"b"}')).join(',')}]`,
  texts: JSON.stringify(Array.from({ length: 1200 }, (_, index) => `${'ab'.repeat(500)}${index}`)),
  copies: JSON.stringify({ all: Array.from({ length: 600 }, () => wide.slice(0, 12)) }),
  as: `${endings}${'a'.repeat(1_260_000)}`,
  abs: `${endings}${'ab'.repeat(630_000)}`,
  mixed:
    endings + Array.from({ length: 42_000 }, (_, index) => `line ${index} aab<title <b> "x":`).join('\n'),
  words: endings + 'lorem ipsum dolor sit amet '.repeat(46_000),
} as const

const paths: [property: string, body: keyof typeof bodies][] = [
  // Filters inside filters, which look at everything for everything.
  ['$[?$[?$[?@.id == 30000]]]', 'wide'],
  ['$[?@.id == 1 && $[?@.id == 30000]]', 'wide'],
  ['$[?$[?@.text == $[0].more]]', 'wide'],
  ['$[?count($[?@.id < 0]) > 0]', 'wide'],
  ['$[?count($..*) < 0]', 'wide'],
  ['$[?count(@..*) > count($..*)]', 'wide'],
  ['$[?@.tags[?$[?@.id == -1]]]', 'wide'],
  ['$[?@..[?@..[?@..[?@.id < 0]]]]', 'wide'],
  ['$[?count($[?@ == $[0]]) > 3]', 'wide'],
  ['$[?value($..[?@.id == -1]) == 3]', 'wide'],
  ['$[?$[?@ > $[199999]]]', 'numbers'],
  ['$[?$[?@ == -1] || $[?@ == -2]]', 'numbers'],
  ['$[?count($[?@ < 0]) > 200001]', 'numbers'],
  // `..` on wide and on deep documents, and of what it finds.
  ['$..*..*..*..*', 'wide'],
  ['$..[?@..[?@.id == 30000]]', 'wide'],
  ['$..[?count(@..*) > 99999]', 'wide'],
  ['$..[*]..[*]..[*]..id', 'wide'],
  ['$..*..*..*', 'deep'],
  ['$..[?@..[?@.a == "c"]]', 'deep'],
  ['$..[?count(@..*) > 1000]', 'deep'],
  ['$..*..[?@..*..[?@.a == 1]]', 'deep'],
  // Unions and slices, which multiply.
  [`$[*]${'[*,*,*]'.repeat(10)}`, 'deep'],
  [`$[*]${'[::1,::-1]'.repeat(20)}`, 'deep'],
  [`$${'[::1,::1,::1,::1,::1,::1,::1,::1,::1,::1]'.repeat(2)}`, 'deep'],
  ['$..[::1,::-1,::1,::-1]..[::1,::-1]', 'wide'],
  ['$[*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*].more[*,*,*]..[*,*,*,*]', 'wide'],
  // Comparisons of whole documents.
  ['$[?$[?$ == $[0] || @ == -1]]', 'wide'],
  ['$.all[?$.all[?$.all != $.all]]', 'copies'],
  ['$.all[?@ == $.all[0] && $.all[?@ != $.all[0]]]', 'copies'],
  ['$.all[?$.all[?@ != $.all[1]]]', 'copies'],
  // Patterns inside filters.
  ["$[?search($[0].text, '(a|b|ab)*c') || $[?search(@.text, '(a+)+$b')]]", 'wide'],
  ["$[?$[?match(@, '(a|b|ab)*[^0-9]')]]", 'texts'],
  ["$[?search(@, '((ab){1,30}){1,30}c') || $[?search(@, 'x')]]", 'texts'],
  ["$..[?$..[?search(@, '(a?){50}a{50}c')]]", 'texts'],
]

const patterns: [property: string, body: keyof typeof bodies][] = [
  // Counted repetitions, alone and inside each other.
  ['((a|b){0,200}c)', 'abs'],
  ['((a|b|.){0,200}c){3}x', 'abs'],
  ['(a?){100}a{100}c', 'as'],
  ['(((a{1,10}){1,10}){1,9}c)', 'as'],
  ['(?:(?:ab?){1,30}){1,30}x', 'abs'],
  ['(.{0,300}x){2}y', 'words'],
  ['(\\w{1,40}\\s){1,20}X', 'words'],
  ['([a-z]{1,99} ?){9}!', 'words'],
  ['a{500}b{400}c', 'as'],
  ['(a{1,1000})b', 'as'],
  // States that no automaton can keep.
  ['([ab]*a[ab]{90}c)', 'abs'],
  ['(?:a|b)*?a[ab]{200}x', 'abs'],
  ['(.*a.{120}x)', 'mixed'],
  ['(?s)(.*i.{200}m.{200}Z)', 'words'],
  // What a backtracking engine never ends.
  ['((a+)+)+c', 'as'],
  ['(a|aa|aaa)*$c', 'as'],
  ['(((a*)*)*)*c', 'as'],
  ['(x+x+)+y|(a+a+)+b', 'as'],
  ['(\\w+\\s?)+!$', 'words'],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'words'],
  // Everything, again and again.
  ['(?s)(.*)(.*)(.*)(.*)(.*)x9', 'words'],
  ['.*.*.*.*.*x9', 'mixed'],
  ['(?s)(.*?)(.*?)(.*?)(.*?)$', 'mixed'],
  ['(?s)^(.*,)*(.*:)*(.*)$', 'mixed'],
  // Alternations, cases and classes.
  ['(?i)((lorem|ipsum|dolor|sit|amet|\\s){1,60}){1,9}z', 'words'],
  ['(?i)(\\pL{1,50}\\s){10}\\pN', 'words'],
  ['(?:[\\pL\\pM]|\\p{Greek}|[^\\x00-\\x7f]|\\w){80}!', 'words'],
  [`(${Array.from({ length: 60 }, (_, index) => `a{${index}}bb`).join('|')})c`, 'abs'],
  // Matches of nothing.
  ['(?:(?:)*(?:a?)*)*(b{0})*c', 'as'],
  ['(\\b|\\B)*(^|$|a)*c', 'as'],
  ['(?m)(^|$)*(.?)*[^\\n]*\\z!', 'mixed'],
  ['(\\b(\\w|\\w\\w)*\\b.?)*!', 'words'],
]

export const worstCases: readonly WorstCase[] = [
  ...paths.map(([property, body]): WorstCase => ({ source: 'JSON_BODY', property, body })),
  ...patterns.map(([property, body]): WorstCase => ({ source: 'TEXT_BODY', property, body })),
]
