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
