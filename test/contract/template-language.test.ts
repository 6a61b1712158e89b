/** The same templates as both programs fill them in: requests of checks, and webhooks of alerts. */
import t from 'tap'
import { render as renderForAgent } from '../../agent/templates/render.ts'
import { render as renderForAlert } from '../../control-plane/alerting/templates/template.ts'
import { fillVariables, uriEncode } from '../../protocol/templates/encodings.ts'

const now = Date.parse('2027-01-02T00:05:07.089Z')
const uuid = 'abababab-abab-4bab-abab-abababababab'
const variables = {
  NAME: 'a b&c',
  TRICK: '{{NAME}}',
  EMPTY: '',
  WHEN: '2026-01-02T03:04:05.678Z',
  LAST_WEEK: 'last week',
  FORMAT: 'GGGG-[W]WW',
  my_name: 'ü',
}

const table: Array<[template: string, expected: string]> = [
  ['no tags', 'no tags'],
  ['{"a":{"b":1}}', '{"a":{"b":1}}'],
  ['{{NAME}}', 'a%20b%26c'],
  ['{{ NAME }}', 'a%20b%26c'],
  ['{{{NAME}}}', 'a b&c'],
  ['{{{ NAME }}}', 'a b&c'],
  ['x{{NAME}}y{{{NAME}}}z', 'xa%20b%26cya b&cz'],
  ['{"a":{{{NAME}}}}', '{"a":a b&c}'],
  ['{"a":{"b":{{NAME}}}}', '{"a":{"b":a%20b%26c}}'],
  ['[{{EMPTY}}]', '[]'],
  ['{{{TRICK}}}', '{{NAME}}'],
  ['{{my_name}}', '%C3%BC'],
  ['\\{{NAME}}', '{{NAME}}'],
  ['{{$UUID}}', uuid],
  ['{{$RANDOM_NUMBER}}', '6706'],
  ['{{{moment}}}', 'January 02, 2027'],
  ['{{{date}}}', 'January 02, 2027'],
  ['{{moment ""}}', '2027-01-02T00%3A05%3A07Z'],
  ['{{moment "YYYY-MM-DD"}}', '2027-01-02'],
  ["{{date 'YYYY-MM-DD'}}", '2027-01-02'],
  ['{{{moment "YYYY-MM-DD[T]HH:mm:ss.SSSZ"}}}', '2027-01-02T00:05:07.089+00:00'],
  ['{{{moment "today" "YYYY [week] WW"}}}', '2027 week 53'],
  ['{{{moment "W Wo WW"}}}', '53 53rd 53'],
  ['{{{moment "w wo ww"}}}', '1 1st 01'],
  ['{{{moment "GG GGGG GGGGG"}}}', '26 2026 02026'],
  ['{{{moment "gg gggg ggggg"}}}', '27 2027 02027'],
  ['{{{moment "z zz"}}}', 'UTC Coordinated Universal Time'],
  ['{{{moment "Z ZZ"}}}', '+00:00 +0000'],
  ['{{{moment "D Do DD"}}}', '2 2nd 02'],
  ['{{{moment "DDD DDDo DDDD"}}}', '2 2nd 002'],
  ['{{{moment "M Mo MM MMM MMMM"}}}', '1 1st 01 Jan January'],
  ['{{{moment "Q Qo"}}}', '1 1st'],
  ['{{{moment "d do dd ddd dddd e E"}}}', '6 6th Sa Sat Saturday 6 6'],
  ['{{{moment "Y YY YYYY YYYYYY y"}}}', '2027 27 2027 +002027 2027'],
  ['{{{moment "N NNNN"}}}', 'AD Anno Domini'],
  ['{{{moment "H HH h hh k kk"}}}', '0 00 12 12 24 24'],
  ['{{{moment "m mm s ss"}}}', '5 05 7 07'],
  ['{{{moment "S SS SSS SSSS"}}}', '0 08 089 0890'],
  ['{{{moment "SSSSSSSSS"}}}', '089000000'],
  ['{{{moment "A a"}}}', 'AM am'],
  ['{{{moment "X x"}}}', '1798848307 1798848307089'],
  ['{{{moment "LT LTS"}}}', '12:05 AM 12:05:07 AM'],
  ['{{{moment "L l"}}}', '01/02/2027 1/2/2027'],
  ['{{{moment "LL"}}}', 'January 2, 2027'],
  ['{{{moment "LLL"}}}', 'January 2, 2027 12:05 AM'],
  ['{{{moment "LLLL"}}}', 'Saturday, January 2, 2027 12:05 AM'],
  ['{{{moment "ll lll llll"}}}', 'Jan 2, 2027 Jan 2, 2027 12:05 AM Sat, Jan 2, 2027 12:05 AM'],
  ['{{{moment "[YYYY] YYYY"}}}', 'YYYY 2027'],
  ['{{moment "now" "X"}}', '1798848307'],
  ['{{moment "tomorrow" "DDDD"}}', '003'],
  ['{{moment "yesterday" "DDDD"}}', '001'],
  ['{{moment "2 days ago" "YYYY-MM-DD"}}', '2026-12-31'],
  ['{{moment "in 3 hours" "HH"}}', '03'],
  ['{{moment "an hour ago" "YYYY"}}', '2027'],
  ['{{moment "last month" "MMM"}}', 'Dec'],
  ['{{moment "next year" "YYYY"}}', '2028'],
  ['{{moment "2026-01-02T13:00:00Z" "hA"}}', '1PM'],
  ['{{moment "2026-01-02 13:00" "H"}}', '13'],
  ['{{moment "1767323045" "YYYY-MM-DD"}}', '2026-01-02'],
  ['{{moment 1767323045 "YYYY-MM-DD"}}', '2026-01-02'],
  ['{{moment WHEN "SSSS"}}', '6780'],
  ['{{date LAST_WEEK "YYYY-MM-DD"}}', '2026-12-26'],
  ['{{moment WHEN FORMAT}}', '2026-W01'],
  ['{{moment FORMAT}}', '2026-W53'],
]

const byAgent = (text: string): string =>
  renderForAgent(
    { text, field: 'the body' },
    {
      variables: new Map(Object.entries(variables)),
      sources: { now: () => now, random: () => 0xabababab / 2 ** 32, newId: () => uuid },
    },
  )

const byAlert = (text: string): string =>
  renderForAlert(text, variables, {
    encode: uriEncode,
    world: { now, randomBytes: (size) => Buffer.alloc(size, 0xab) },
  })

t.test('both programs fill the same templates in with the same texts', async (t) => {
  t.ok(table.length >= 60)
  for (const [template, expected] of table) {
    t.equal(byAgent(template), expected, `agent: ${template}`)
    t.equal(byAlert(template), expected, `alert: ${template}`)
  }
})

t.test('what one program cannot read, the other cannot either', async (t) => {
  for (const template of [
    '{{moment "some day" "X"}}',
    '{{date "2026-02-31" "X"}}',
    `{{moment "${'Y'.repeat(201)}"}}`,
  ]) {
    t.throws(() => byAgent(template), { code: 'INVALID_TEMPLATE' }, template)
    t.throws(() => byAlert(template), { name: 'TemplateError' }, template)
  }
})

t.test('addresses that the control plane fills in are those that agents ask', async (t) => {
  const known = new Map(Object.entries({ ...variables, BASE: 'https://a.example/b' }))
  const sources = { now: () => now, random: () => 0, newId: () => uuid }
  const encode = (value: string, index: number): string => (index === 0 ? value : uriEncode(value))
  for (const text of [
    '{{BASE}}/{{NAME}}',
    '{{{BASE}}}/x',
    'https://a.example/{{ NAME }}',
    'https://a/\\{{NAME}}',
  ])
    t.equal(
      fillVariables(text, known),
      renderForAgent({ text, field: 'the address', encode }, { variables: known, sources }),
      text,
    )
  t.equal(fillVariables('https://a/{{LATER}}{{moment "X"}}', known), 'https://a/{{LATER}}{{moment "X"}}')
})
