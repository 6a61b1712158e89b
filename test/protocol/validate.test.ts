import t from 'tap'
import { Type } from 'typebox'
import { compile } from '../../protocol/validate.ts'

const messages = (schema: Parameters<typeof compile>[0], value: unknown): string[] => {
  const checked = compile(schema)(value)
  return checked.ok ? [] : checked.violations.map(({ message }) => message)
}

t.test('a violation says what would be right', async (t) => {
  const Unit = Type.Object(
    { unit: Type.Unsafe({ enum: ['DAY', 'WEEK', null] }), type: Type.Optional(Type.Literal('EMAIL')) },
    { additionalProperties: false },
  )
  t.strictSame(messages(Unit, { unit: 'YEAR' }), ['"unit" must be one of [DAY, WEEK, null]'])
  t.strictSame(messages(Unit, { unit: null, type: 'SMS' }), ['"type" must be "EMAIL"'])
  t.strictSame(messages(Unit, {}), ['"unit" is required'])
  t.strictSame(messages(Unit, { unit: 'DAY', other: 1 }), ['"other" is not a known field'])
  t.strictSame(messages(Unit, { unit: 'DAY' }), [])
})

t.test('an instant is one that there is, however it is written', async (t) => {
  const Instant = Type.String({ format: 'date-time' })
  const right = [
    '2026-02-28T23:59:59.999Z',
    '2024-02-29T00:00:00.000Z',
    '2026-12-31T00:00:00Z',
    '2026-12-31t00:00:00z',
    '2026-01-01T12:00:00.123456+02:00',
    '2026-06-30T23:59:60.000Z',
  ]
  const wrong = [
    '2026-02-29T00:00:00.000Z',
    '2026-04-31T00:00:00.000Z',
    '2026-13-01T00:00:00.000Z',
    '2026-00-10T00:00:00.000Z',
    '2026-01-00T00:00:00.000Z',
    '2026-01-01T24:00:00.000Z',
    '2026-01-01T00:60:00.000Z',
    '2026-01-01T00:00:00.000',
    '2026-01-01',
    '',
  ]
  for (const text of right) t.strictSame(messages(Instant, text), [], text)
  for (const text of wrong)
    t.strictSame(messages(Instant, text), ['the value must match format "date-time"'], text)
})
