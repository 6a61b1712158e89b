import { createRequire } from 'node:module'
import t from 'tap'
import { formatMoment } from '../../../protocol/templates/format-moment.ts'
import { longFormats, momentTokens } from '../../../protocol/templates/moment-tokens.ts'
import { fc } from '../../support/fast-check.ts'

/** A Saturday at midnight that ends an ISO week of the year before, and a Monday that begins one of the year after. */
const saturday = Date.parse('2027-01-02T00:05:07.089Z')
const monday = Date.parse('2024-12-30T13:45:59.999Z')

/** As Moment.js 2.30 writes them. */
const rows: Array<[token: string, onSaturday: string, onMonday: string]> = [
  ['Y', '2027', '2024'],
  ['YY', '27', '24'],
  ['YYYY', '2027', '2024'],
  ['YYYYY', '02027', '02024'],
  ['YYYYYY', '+002027', '+002024'],
  ['y', '2027', '2024'],
  ['yo', '2027th', '2024th'],
  ['yy', '2027', '2024'],
  ['yyy', '2027', '2024'],
  ['yyyy', '2027', '2024'],
  ['N', 'AD', 'AD'],
  ['NN', 'AD', 'AD'],
  ['NNN', 'AD', 'AD'],
  ['NNNN', 'Anno Domini', 'Anno Domini'],
  ['NNNNN', 'AD', 'AD'],
  ['Q', '1', '4'],
  ['Qo', '1st', '4th'],
  ['M', '1', '12'],
  ['MM', '01', '12'],
  ['Mo', '1st', '12th'],
  ['MMM', 'Jan', 'Dec'],
  ['MMMM', 'January', 'December'],
  ['D', '2', '30'],
  ['DD', '02', '30'],
  ['Do', '2nd', '30th'],
  ['DDD', '2', '365'],
  ['DDDo', '2nd', '365th'],
  ['DDDD', '002', '365'],
  ['d', '6', '1'],
  ['do', '6th', '1st'],
  ['dd', 'Sa', 'Mo'],
  ['ddd', 'Sat', 'Mon'],
  ['dddd', 'Saturday', 'Monday'],
  ['e', '6', '1'],
  ['E', '6', '1'],
  ['w', '1', '1'],
  ['ww', '01', '01'],
  ['wo', '1st', '1st'],
  ['W', '53', '1'],
  ['WW', '53', '01'],
  ['Wo', '53rd', '1st'],
  ['gg', '27', '25'],
  ['gggg', '2027', '2025'],
  ['ggggg', '02027', '02025'],
  ['GG', '26', '25'],
  ['GGGG', '2026', '2025'],
  ['GGGGG', '02026', '02025'],
  ['H', '0', '13'],
  ['HH', '00', '13'],
  ['h', '12', '1'],
  ['hh', '12', '01'],
  ['k', '24', '13'],
  ['kk', '24', '13'],
  ['m', '5', '45'],
  ['mm', '05', '45'],
  ['s', '7', '59'],
  ['ss', '07', '59'],
  ['A', 'AM', 'PM'],
  ['a', 'am', 'pm'],
  ['Z', '+00:00', '+00:00'],
  ['ZZ', '+0000', '+0000'],
  ['z', 'UTC', 'UTC'],
  ['zz', 'Coordinated Universal Time', 'Coordinated Universal Time'],
  ['X', '1798848307', '1735566359'],
  ['x', '1798848307089', '1735566359999'],
  ['S', '0', '9'],
  ['SS', '08', '99'],
  ['SSS', '089', '999'],
  ['SSSS', '0890', '9990'],
  ['SSSSS', '08900', '99900'],
  ['SSSSSS', '089000', '999000'],
  ['SSSSSSS', '0890000', '9990000'],
  ['SSSSSSSS', '08900000', '99900000'],
  ['SSSSSSSSS', '089000000', '999000000'],
  ['LT', '12:05 AM', '1:45 PM'],
  ['LTS', '12:05:07 AM', '1:45:59 PM'],
  ['L', '01/02/2027', '12/30/2024'],
  ['LL', 'January 2, 2027', 'December 30, 2024'],
  ['LLL', 'January 2, 2027 12:05 AM', 'December 30, 2024 1:45 PM'],
  ['LLLL', 'Saturday, January 2, 2027 12:05 AM', 'Monday, December 30, 2024 1:45 PM'],
  ['l', '1/2/2027', '12/30/2024'],
  ['ll', 'Jan 2, 2027', 'Dec 30, 2024'],
  ['lll', 'Jan 2, 2027 12:05 AM', 'Dec 30, 2024 1:45 PM'],
  ['llll', 'Sat, Jan 2, 2027 12:05 AM', 'Mon, Dec 30, 2024 1:45 PM'],
]

t.test('every token of Moment.js is written as Moment.js writes it', async (t) => {
  for (const [token, first, second] of rows) {
    t.equal(formatMoment(saturday, token), first, token)
    t.equal(formatMoment(monday, token), second, token)
  }
  const known = [...Object.keys(momentTokens), ...Object.keys(longFormats)]
  t.strictSame(
    rows.map(([token]) => token),
    known,
    'none is left out',
  )
})

t.test('brackets and backslashes keep letters; what is no token stays', async (t) => {
  const cases: Array<[format: string, expected: string]> = [
    ['YYYY [week] WW', '2027 week 53'],
    ['[[YYYY]', '[YYYY'],
    ['[at] HH[h]mm', 'at 00h05'],
    ['[a]b]', 'a]b'],
    ['[]', ''],
    ['YYYY]', '2027]'],
    ['\\YYYY \\[Q\\]', 'YYYY [1]'],
    ['\\LT LT', 'LT 12:05 AM'],
    ['é—MM', 'é—01'],
    ['', '2027-01-02T00:05:07Z'],
  ]
  for (const [format, expected] of cases) t.equal(formatMoment(saturday, format), expected, format)
})

t.test('years before the year 1 and after 9999', async (t) => {
  const before = Date.parse('-000043-03-15T12:00:00Z')
  t.equal(
    formatMoment(before, 'Y YYYY YYYYYY y N NNNN gggg'),
    '-0043 -0043 -000043 44 BC Before Christ -0043',
  )
  const after = Date.parse('+012026-03-15T12:00:00Z')
  t.equal(formatMoment(after, 'Y YYYY YYYYYY GGGGG'), '+12026 12026 +012026 12026')
  t.equal(formatMoment(Date.parse('0050-12-31T00:00:00Z'), 'DDD'), '365')
})

type Moment = { utc(instant: number): { format(format: string): string } }
const packages = createRequire(new URL('../../../runtimes/2026-04/package.json', import.meta.url))

const installedMoment = (): Moment | null => {
  try {
    return packages('moment') as Moment
  } catch {
    return null
  }
}

const moment = installedMoment()
const skip = moment === null && 'the packages of runtimes/2026-04 are not installed'

t.test('any format is written as Moment.js writes it', { skip }, async () => {
  const tokens = fc.constantFrom(...rows.map(([token]) => token))
  // Tokens that touch are read apart from left to right; Moment.js puts what L stands for beside its neighbours first.
  const between = fc.constantFrom(
    ' ',
    '-',
    ':',
    ' [a b] ',
    '[x] ',
    ' \\M ',
    '[ ',
    ' ] ',
    '.',
    'é',
    ' hmm ',
    ' Hmmss ',
  )
  const format = fc.array(fc.tuple(tokens, between), { maxLength: 6 }).map((pairs) => pairs.flat().join(''))
  const instant = fc.integer({ min: Date.parse('-200000-01-01'), max: Date.parse('+200000-01-01') })
  fc.assert(
    fc.property(format, instant, (text, at) => formatMoment(at, text) === moment?.utc(at).format(text)),
    { numRuns: 2000 },
  )
})
