/** `fields` of a list of results: only these fields of each entry are sent. */
import { Type } from 'typebox'
import { invalid, violation } from '../../platform/words/errors.ts'
import { type CheckResult, resultFields } from './schema.ts'

export const FieldsParameter = Type.Optional(
  Type.String({
    maxLength: 2048,
    description: `Only these fields of the entries, separated by commas: ${resultFields.join(', ')}`,
    examples: ['id,startedAt,hasFailures'],
  }),
)

/** The names in a parameter; undefined for all. @throws ApiError 400 that names every one that no result has */
export const fieldsIn = (parameter: string | undefined): string[] | undefined => {
  const names = parameter
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const unknown = names?.filter((name) => !resultFields.includes(name)) ?? []
  if (unknown.length > 0)
    throw invalid(
      unknown.map((name) => violation('fields', 'enum', `names a field that no result has: ${name}`)),
    )
  return names?.length ? names : undefined
}

export const trimResults = (results: CheckResult[], fields: readonly string[] | undefined): CheckResult[] =>
  fields === undefined ? results : results.map((result) => trimmed(result, fields))

const trimmed = (result: CheckResult, fields: readonly string[]): CheckResult => {
  const whole: Record<string, unknown> = { ...result, createdAt: result.created_at }
  return Object.fromEntries(fields.map((name) => [name, whole[name]])) as CheckResult
}
