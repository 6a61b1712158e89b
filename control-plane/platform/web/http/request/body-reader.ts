/** A body as handlers see it: without what is ignored, with every absent value said in one way, validated. */
import type { TSchema } from 'typebox'
import { compile, type Violation } from '../../../../../protocol/validate.ts'
import { dropIgnored, type IgnoredName } from '../../../words/shapes/drop-ignored.ts'
import { mendAbsentValues } from './absent-values.ts'
import { fillMissingLists, missingLists } from './missing-lists.ts'

type BodyRules = {
  schema: TSchema
  ignores: readonly IgnoredName[]
  /** As in the declaration of a route. */
  whole?: TSchema | undefined
  /** Numbers and switches come as text, as in forms. */
  coerce?: boolean
}

/** Changes the value that it is given. */
export type BodyReader = (
  body: unknown,
  parameters: Readonly<Record<string, string>>,
) => { value: unknown; violations: Violation[] }

export const bodyReader = ({ schema, ignores, whole, coerce = false }: BodyRules): BodyReader => {
  const drop = dropIgnored(ignores, schema)
  const mend = mendAbsentValues(schema)
  const lists = whole === undefined ? undefined : missingLists(whole)
  const validate = compile(schema, { coerce })
  return (body, parameters) => {
    const problems = drop(body, parameters)
    if (lists !== undefined) fillMissingLists(body, lists)
    mend(body)
    const checked = validate(body)
    return { value: body, violations: checked.ok ? problems : [...problems, ...checked.violations] }
  }
}

/** Of a body that is only validated. */
export const strictReader = (schema: TSchema): BodyReader => {
  const validate = compile(schema)
  return (body) => {
    const checked = validate(body)
    return { value: body, violations: checked.ok ? [] : checked.violations }
  }
}
