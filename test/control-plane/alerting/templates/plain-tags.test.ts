import { randomBytes } from 'node:crypto'
import Handlebars from 'handlebars'
import t from 'tap'
import { encodings } from '../../../../control-plane/alerting/templates/encodings.ts'
import { fillPlainTags, plainTagsIn } from '../../../../control-plane/alerting/templates/plain-tags.ts'
import { render } from '../../../../control-plane/alerting/templates/template.ts'
import { TemplateError } from '../../../../control-plane/alerting/templates/template-error.ts'
import { randomFrom } from '../../../support/random.ts'

const world = { now: Date.UTC(2026, 0, 1), randomBytes }
const context = {
  NAME: 'a & "b" <c>\n{{ZERO}}',
  ZERO: 0,
  NO: false,
  NULL: null,
  TAGS: ['env:prod', 'shop'],
  _x1: 'é',
  constructor: 'own',
}

const pieces = [
  ...[
    '{{NAME}}',
    '{{{NAME}}}',
    '{{ ZERO }}',
    '{{NO}}',
    '{{NULL}}',
    '{{TAGS}}',
    '{{{ _x1\n}}}',
    '{{constructor}}',
  ],
  ...[
    '{{toString}}',
    '{{UNKNOWN}}',
    '{',
    '}',
    '{{',
    '}}',
    '"a":',
    ' ',
    '\n',
    '\\',
    'x',
    '{{!c}}',
    '{{year}}',
    '{{this}}',
  ],
  ...['{{else}}', '{{true}}', '{{#if NO}}', '{{/if}}', '{{~NAME~}}', '{{&NAME}}', '{{NAME.length}}', '{{{{'],
]

const byHandlebars = (text: string, encoding: keyof typeof encodings, startIsRaw: boolean): string | null => {
  try {
    return render(text, context, { encode: encodings[encoding], startIsRaw, world })
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return null
  }
}

t.test('what is taken for plain gives what Handlebars gives', async (t) => {
  const random = randomFrom(7)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  let plain = 0
  for (let round = 0; round < 4000; round++) {
    // Most of the first pieces are plain.
    const choice = random() < 0.7 ? pieces.slice(0, 17) : pieces
    const text = Array.from({ length: 1 + Math.floor(random() * 5) }, () => pick(choice)).join('')
    if (plainTagsIn(text) === null) continue
    plain += 1
    const encoding = pick(Object.keys(encodings) as Array<keyof typeof encodings>)
    const startIsRaw = random() < 0.5
    const filled = fillPlainTags({ text, encoding, startIsRaw }, context)
    if (filled !== byHandlebars(text, encoding, startIsRaw))
      t.equal(filled, byHandlebars(text, encoding, startIsRaw), text)
  }
  t.ok(plain > 500, `${plain} were plain`)
})

t.test('words of the language are not plain', async (t) => {
  for (const name of [
    ...Object.keys(Handlebars.helpers),
    'else',
    'this',
    'true',
    'null',
    'moment',
    'eq',
    'split',
  ])
    t.equal(plainTagsIn(`{{${name}}}`), null, name)
  t.equal(plainTagsIn('{{NAME}}'.repeat(1001)), null, 'nor are more places than a template may have')
  t.strictSame(plainTagsIn('Bearer {{TOKEN}} {{{OTHER}}}'), ['TOKEN', 'OTHER'])
  t.strictSame(plainTagsIn('{"a": {"b": "{{NAME}}"}}'), ['NAME'])
})
