import t from 'tap'
import { render } from '../../../agent/templates/render.ts'
import type { RequestError } from '../../../agent/templates/request-error.ts'
import { cpuTimeMs } from '../../support/cpu-time.ts'
import { fc } from '../../support/fast-check.ts'

const now = Date.parse('2026-03-31T09:05:07.089Z')
const sources = { now: () => now, random: () => 0.99999, newId: () => 'an-id' }
const variables = new Map([
  ['NAME', 'a b&c'],
  ['TRICK', '{{NAME}}'],
  ['EMPTY', ''],
])

const fill = (text: string): string => render({ text, field: 'the body' }, { variables, sources })

const problemOf = (text: string): string => {
  try {
    return fill(text)
  } catch (error) {
    return `${(error as RequestError).code}: ${(error as Error).message}`
  }
}

t.test('tags are replaced', async (t) => {
  const rows: [string, string][] = [
    ['no tags', 'no tags'],
    ['{{NAME}}', 'a%20b%26c'],
    ['{{{NAME}}}', 'a b&c'],
    ['{{ NAME }}/{{{ NAME }}}', 'a%20b%26c/a b&c'],
    ['{"a":{{{NAME}}}}', '{"a":a b&c}'],
    ['{"a":{"b":1}}', '{"a":{"b":1}}'],
    ['{{EMPTY}}', ''],
    ['{{{TRICK}}}', '{{NAME}}'],
    ['\\{{NAME}} \\{{{NAME}}}', '{{NAME}} {{{NAME}}}'],
    ['{{$UUID}}', 'an-id'],
    ['{{$RANDOM_NUMBER}}', '10000'],
    ['{{{moment}}}', 'March 31, 2026'],
    ['{{moment "YYYY-MM-DD"}}', '2026-03-31'],
    ["{{{date 'YYYY-MM-DD[T]HH:mm:ss.SSSZ'}}}", '2026-03-31T09:05:07.089+00:00'],
    ['{{moment "2 days ago" "DD.MM.YY"}}', '29.03.26'],
    ['{{moment "in 3 hours" "H"}}', '12'],
    ['{{moment "last month" "MMM D"}}', 'Feb%2028'],
    ['{{{moment "next year" "dddd, Do MMMM GGGG-[W]WW"}}}', 'Wednesday, 31st March 2027-W13'],
    ['{{moment "2026-01-01T13:00:00Z" "hA"}}', '1PM'],
    ['{{moment "tomorrow" "X"}}', String(Math.floor(now / 1000) + 86_400)],
  ]
  for (const [text, expected] of rows) t.equal(fill(text), expected, text)
})

t.test('what cannot be replaced is named with its place', async (t) => {
  t.equal(problemOf('{{MISSING}}'), 'UNKNOWN_VARIABLE: The variable MISSING in the body is not set')
  t.match(problemOf('{{constructor}}'), /^UNKNOWN_VARIABLE/)
  t.match(problemOf('{{#if NAME}}'), /^INVALID_TEMPLATE: \{\{#if NAME\}\} in the body is neither/)
  t.match(problemOf('{{}}'), /^INVALID_TEMPLATE/)
  t.match(problemOf('{{moment "some day" "YYYY"}}'), /^INVALID_TEMPLATE: .* cannot be read by moment$/)
})

t.test('a text that grows without end is stopped', async (t) => {
  const large = new Map([['BIG', 'x'.repeat(1024 * 1024)]])
  t.throws(
    () => render({ text: '{{{BIG}}}'.repeat(100), field: 'the body' }, { variables: large, sources }),
    { code: 'TEMPLATE_TOO_LARGE' },
  )
})

t.test('a text without braces stays as it is, and any value comes through raw braces unchanged', async () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, value) => {
      const plain = text.replaceAll('{', '(').replaceAll('\\', '/')
      const context = { variables: new Map([['V', value]]), sources }
      return render({ text: `${plain}{{{V}}}${plain}`, field: 'x' }, context) === plain + value + plain
    }),
  )
})

t.test('hostile texts are read in linear time', async (t) => {
  const before = cpuTimeMs()
  for (const text of ['{{', '{{{', '{{ ', '\\{{', '}}{{', '{{"', '{{[']) problemOf(text.repeat(100_000))
  problemOf(`{{${' '.repeat(250_000)}`)
  problemOf(`{{moment "${'['.repeat(200_000)}"}}`)
  t.ok(cpuTimeMs() - before < 2000)
})
