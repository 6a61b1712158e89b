import { type Static, Type } from 'typebox'
import { type Comparison, comparisons } from './comparisons.ts'

/**
 * One assertion as a check declares it (`assertions[]` of the contract) and as a result reports it.
 * `property` selects a part of the source (a header name, a JSON path, a regular expression, a statistic);
 * `regex` narrows a header's value to its first capture group. Targets are strings and are coerced.
 *
 * `assertionOf`: a check type's own list of sources and comparisons, as one schema.
 */
export const assertionOf = <const Source extends string, const Compare extends Comparison>(
  sources: readonly Source[],
  allowed: readonly Compare[],
) =>
  Type.Object(
    {
      source: Type.Enum([...sources]),
      property: Type.Optional(Type.String({ maxLength: 2048, default: '' })),
      comparison: Type.Enum([...allowed]),
      target: Type.Optional(Type.String({ maxLength: 65536, default: '' })),
      regex: Type.Optional(Type.Union([Type.String({ maxLength: 2048 }), Type.Null()], { default: '' })),
    },
    { additionalProperties: false },
  )

/** An assertion of any check type, whose own lists `assertionOf` has checked. */
export type Assertion = {
  source: string
  property?: string
  comparison: Comparison
  target?: string
  regex?: string | null
}

/**
 * An evaluated assertion, in the order it was declared. `target` is a number where the source is one
 *; `actual` is what was observed, cut to 10 KB; `error` says why it failed.
 */
export const AssertionOutcome = Type.Object({
  source: Type.String(),
  property: Type.String(),
  comparison: Type.Enum([...comparisons]),
  target: Type.Union([Type.Number(), Type.String()]),
  regex: Type.Union([Type.String(), Type.Null()]),
  order: Type.Integer({ minimum: 0 }),
  passed: Type.Boolean(),
  actual: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
  error: Type.Union([Type.String(), Type.Null()]),
})
export type AssertionOutcome = Static<typeof AssertionOutcome>
