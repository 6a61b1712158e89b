/**
 * Answers against their schemas. A union whose branches a constant field tells apart is judged by that branch alone, and a
 * branch is compiled once for all routes that answer with it, when the first one does: compiling the largest
 * union takes a second, and validating against it tries every type.
 */
import type { TSchema } from 'typebox'
import { compile, type Validator, type Violation } from '../../../../../protocol/validate.ts'
import { tagOf } from './serialize.ts'

type Schema = { items?: Schema; anyOf?: Schema[]; properties?: Record<string, { const?: unknown }> }

/** One per program: it remembers what is compiled. */
export const createAnswerValidators = (): ((schema: TSchema) => Validator<unknown>) => {
  const compiled = new Map<Schema, Validator<unknown>>()
  const validatorOf = (schema: Schema): Validator<unknown> => {
    const branches = taggedBranches(schema)
    if (branches) return byTag(branches, validatorOf)
    if (schema.items && taggedBranches(schema.items)) return forEach(validatorOf(schema.items))
    return (value) => {
      const validate = compiled.get(schema) ?? compile(schema as TSchema)
      compiled.set(schema, validate)
      return validate(value)
    }
  }
  return (schema) => validatorOf(schema as Schema)
}

type Branches = { tag: string; schemas: Schema[] }

const taggedBranches = ({ anyOf }: Schema): Branches | undefined => {
  const tag = anyOf && anyOf.length > 1 ? tagOf(anyOf) : undefined
  return anyOf && tag !== undefined ? { tag, schemas: anyOf } : undefined
}

const byTag = (
  { tag, schemas }: Branches,
  validatorOf: (schema: Schema) => Validator<unknown>,
): Validator<unknown> => {
  const validators = new Map(schemas.map((schema) => [schema.properties?.[tag]?.const, validatorOf(schema)]))
  return (value) => {
    const validate = validators.get((value as Record<string, unknown> | null | undefined)?.[tag])
    return validate ? validate(value) : refused(tag, 'names no branch')
  }
}

const forEach =
  (validate: Validator<unknown>): Validator<unknown> =>
  (value) => {
    if (!Array.isArray(value)) return refused('', 'is not a list')
    const violations = value.flatMap((item, position): Violation[] => {
      const checked = validate(item)
      return checked.ok
        ? []
        : checked.violations.map(({ path, ...rest }) => ({ path: `${position}.${path}`, ...rest }))
    })
    return violations.length === 0 ? { ok: true, value } : { ok: false, violations }
  }

const refused = (path: string, message: string): { ok: false; violations: Violation[] } => ({
  ok: false,
  violations: [{ path, rule: 'type', message }],
})
