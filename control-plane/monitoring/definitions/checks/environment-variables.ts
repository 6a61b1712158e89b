/** `environmentVariables` of checks and check groups. Secrets: sealed-settings.ts. */
import { Type } from 'typebox'
import type { Violation } from '../../../../protocol/validate.ts'
import { violation } from '../../../platform/words/errors.ts'
import { nullable } from '../../../platform/words/shapes/nullable.ts'

const EnvironmentVariable = Type.Object(
  {
    key: Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\s=/\\\\{}\\u0000-\\u001f\\u007f]+$' }),
    value: Type.String({ maxLength: 65_536, description: 'Reads as an empty text when it is hidden' }),
    locked: Type.Optional(
      Type.Boolean({ default: false, description: 'The value is shown only to those who may change it' }),
    ),
    secret: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'The value is never shown again; sending it back empty keeps it',
      }),
    ),
  },
  { additionalProperties: false, title: 'EnvironmentVariable' },
)

export const EnvironmentVariables = nullable(Type.Array(EnvironmentVariable, { maxItems: 100 }), {
  default: [],
})

export const repeatedKeys = (variables: ReadonlyArray<{ key: string }> | null | undefined): Violation[] => {
  const seen = new Set<string>()
  return (variables ?? []).flatMap(({ key }, position) => {
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
      ? []
      : [violation(`environmentVariables.${position}.key`, 'unique', `is there twice: ${key}`)]
  })
}
