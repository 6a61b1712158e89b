import { randomBytes } from 'node:crypto'
import t from 'tap'
import { render } from '../../../../control-plane/alerting/templates/template.ts'
import { TemplateError } from '../../../../control-plane/alerting/templates/template-error.ts'

const now = Date.UTC(2026, 0, 31, 12, 34, 56)
const world = { now, randomBytes }
const context = {
  NAME: 'a & "b"',
  ZERO: 0,
  FIVE: 5,
  FIVE_TEXT: '5',
  YES: true,
  NO: false,
  EMPTY: [],
  BLANKS: ['', 0],
  TAGS: ['env:prod', 'team=web', 'shop'],
  ALERT_TYPE: 'ALERT_FAILURE',
  STARTED_AT: '2026-01-02T03:04:05.000Z',
}
const encode = (text: string) => encodeURIComponent(text)
const filled = (text: string, more: object = {}) => render(text, { ...context, ...more }, { encode, world })

const cases: Array<[template: string, expected: string]> = [
  ['nothing to fill in', 'nothing to fill in'],
  ['{{NAME}}', 'a%20%26%20%22b%22'],
  ['{{{NAME}}}', 'a & "b"'],
  ['{{&NAME}}', 'a & "b"'],
  ['[{{UNKNOWN}}{{{UNKNOWN}}}]', '[]'],
  ['{{ZERO}} {{YES}} [{{NO}}]', '0 true [false]'],
  ['{{{TAGS}}}', 'env:prod,team=web,shop'],
  ['{{#if YES}}a{{else}}b{{/if}}{{#unless NO}}c{{/unless}}', 'ac'],
  ['{{#each TAGS}}{{@index}}{{{this}}}{{#unless @last}};{{/unless}}{{/each}}', '0env:prod;1team=web;2shop'],
  ['{{#TAGS}}<{{{.}}}>{{/TAGS}}', '<env:prod><team=web><shop>'],
  ['{{#each TAGS}}{{../FIVE}}{{#each ../TAGS}}{{@../index}}{{/each}};{{/each}}', '5000;5111;5222;'],
  ['{{#each BLANKS}}<{{../FIVE}}>{{/each}}', '<5><5>'],
  ['{{#each EMPTY}}x{{else}}none{{/each}}', 'none'],
  ['{{#eq ALERT_TYPE "ALERT_FAILURE"}}down{{else}}up{{/eq}}', 'down'],
  ['{{#if (eq FIVE FIVE_TEXT)}}same{{else}}not{{/if}}', 'not'],
  ['{{#is FIVE FIVE_TEXT}}same{{/is}}', 'same'],
  ['{{#isnt FIVE 6}}other{{/isnt}}', 'other'],
  ['{{#gt FIVE 4}}a{{/gt}}{{#gte FIVE 5}}b{{/gte}}{{#lt FIVE 6}}c{{/lt}}{{#lte FIVE 5}}d{{/lte}}', 'abcd'],
  ['{{#gt FIVE 10}}a{{else}}numbers, not texts{{/gt}}', 'numbers, not texts'],
  ['{{#compare FIVE ">=" 5}}a{{/compare}}{{#compare FIVE "!==" FIVE_TEXT}}b{{/compare}}', 'ab'],
  ['{{#compare FIVE "typeof" "number"}}a{{/compare}}', 'a'],
  ['{{#and YES FIVE}}a{{/and}}{{#or NO ZERO}}b{{else}}c{{/or}}{{#not NO}}d{{/not}}', 'acd'],
  [
    '{{#neither NO ZERO}}a{{/neither}}{{#isTruthy FIVE}}b{{/isTruthy}}{{#isFalsey EMPTY}}c{{/isFalsey}}',
    'abc',
  ],
  ['{{#contains TAGS "shop"}}a{{/contains}}{{#contains ALERT_TYPE "FAIL"}}b{{/contains}}', 'ab'],
  ['{{#if (has TAGS "nope")}}a{{else}}b{{/if}}', 'b'],
  ['{{{default UNKNOWN "x"}}}{{{default FIVE "x"}}}', 'x5'],
  ['{{#ifEven 4}}a{{/ifEven}}{{#ifOdd 3}}b{{/ifOdd}}{{#ifNth 3 9}}c{{/ifNth}}', 'abc'],
  [
    '{{#unlessEq 1 2}}a{{/unlessEq}}{{#unlessGt 1 2}}b{{/unlessGt}}{{#unlessGteq 1 2}}c{{/unlessGteq}}',
    'abc',
  ],
  ['{{#unlessLt 2 1}}a{{/unlessLt}}{{#unlessLteq 2 1}}b{{/unlessLteq}}', 'ab'],
  [
    '{{{tagValue TAGS "env" "none"}}} {{{tagValue TAGS "team"}}} {{{tagValue TAGS "x" "none"}}}',
    'prod web none',
  ],
  [
    '{{#if (startsWith "ALERT" ALERT_TYPE)}}a{{/if}}{{#startsWith "X" ALERT_TYPE}}b{{else}}c{{/startsWith}}',
    'ac',
  ],
  ['{{{replace NAME "&" "and"}}}', 'a and "b"'],
  ['{{#each (split "a-b" "-")}}[{{{this}}}]{{/each}}', '[a][b]'],
  ['{{year}}', '2026'],
  ['{{{moment "YYYY-MM-DD HH:mm"}}}', '2026-01-31 12:34'],
  ['{{{moment STARTED_AT "X"}}}', String(Date.UTC(2026, 0, 2, 3, 4, 5) / 1000)],
  ['{{{date "2 days ago" "YYYY-MM-DD"}}}', '2026-01-29'],
  [
    '{{{date "last week" "YYYY-MM-DD"}}} {{{date "in 3 hours" "HH"}}} {{{date "tomorrow" "DD"}}}',
    '2026-01-24 15 01',
  ],
]

t.test('values, blocks and helpers give what they always gave', async (t) => {
  for (const [template, expected] of cases) t.equal(filled(template), expected, template)
})

t.test('random helpers make what they say', async (t) => {
  t.match(filled('{{$UUID}}'), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  t.not(filled('{{$UUID}}'), filled('{{$UUID}}'))
  for (let i = 0; i < 50; i++) t.ok(Number(filled('{{$RANDOM_NUMBER}}')) <= 10_000)
})

t.test('a value at the very start may be a whole address', async (t) => {
  const at = (text: string) =>
    render(text, { BASE: 'https://a.b/c', X: 'y/z' }, { encode, startIsRaw: true, world })
  t.equal(at('{{BASE}}/{{X}}'), 'https://a.b/c/y%2Fz')
})

t.test('what a template may do ends', async (t) => {
  const tags = { TAGS: Array.from({ length: 100 }, (_, i) => `t${i}`) }
  const nested = `${'{{#each @root.TAGS}}'.repeat(8)}x${'{{/each}}'.repeat(8)}`
  const hostile = [
    nested,
    `{{#each TAGS}}${'x'.repeat(50_000)}{{/each}}`.repeat(2),
    '{{{VALUE}}}'.repeat(5000),
    `{{#each TAGS}}${'{{{../VALUE}}}'.repeat(900)}{{/each}}`,
    `{{#each TAGS}}${'{{#if YES}}{{/if}}'.repeat(499)}{{/each}}`,
    `${'{{#if YES}}'.repeat(31)}${'{{/if}}'.repeat(31)}`,
    '{{{replace VALUE "x" VALUE}}}',
    `${'{{#if YES}}'.repeat(20_000)}${'{{/if}}'.repeat(20_000)}`,
  ]
  for (const template of hostile) {
    const startedAt = performance.now()
    t.throws(
      () => filled(template, { ...tags, VALUE: 'x'.repeat(1000) }),
      TemplateError,
      template.slice(0, 40),
    )
    t.comment(`${Math.round(performance.now() - startedAt)} ms`)
  }
})

t.test('a template reaches nothing but its values', async (t) => {
  for (const template of [
    '{{{constructor}}}',
    '{{{NAME.constructor}}}',
    '{{{__proto__}}}',
    '{{{TAGS.__proto__.constructor}}}',
    '{{{lookup NAME "constructor"}}}',
    '{{#with NAME as |n|}}{{{lookup n "constructor"}}}{{/with}}',
    '{{{lookup (lookup this "constructor") "constructor"}}}',
  ])
    t.notMatch(filled(template), /function|object/i, template)
  for (const template of [
    '{{> partial}}',
    '{{#> partial}}{{/partial}}',
    '{{#*inline "a"}}{{> a}}{{/inline}}{{> a}}',
    '{{log NAME}}',
    '{{helper NAME}}',
    '{{#each}}{{/each}}',
    '{{#if YES}}',
    '{{date "no date" "X"}}',
  ])
    t.throws(() => filled(template), TemplateError, template)
})

t.test('a mistake is named', async (t) => {
  const rows: Array<[template: string, problem: string | RegExp]> = [
    ['{{#if YES}}', /^Parse error/],
    ['a\n{{> x}}', 'Partials are not available (line 2)'],
    ['{{helper NAME}}', 'Missing helper: "helper"'],
    [
      '{{date "no date" "X"}}',
      /^"date" reads a date or words like "2 days ago", and a format of at most 200/,
    ],
    ['{{#compare FIVE "=~" 5}}{{/compare}}', /^"compare" knows the operators == ===/],
  ]
  for (const [template, message] of rows) t.throws(() => filled(template), { message }, template)
})
