/**
 * The account's environment variables. Values are sealed at rest, all
 * of them; a locked value is shown to READ_WRITE and above, a secret one to nobody once it is stored.
 */
import { type Static, Type } from 'typebox'
import { nullable } from '../../platform/words/shapes/nullable.ts'

/** It is a name in `process.env`, between the braces of a template, and in a path. */
const Key = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^(?!\\.{1,2}$)[^\\s=/\\\\{}\\u0000-\\u001f\\u007f]+$',
  description: 'Without blanks, `=`, slashes and braces; cannot be changed',
})
const maxValueLength = 64 * 1024
const locked = Type.Boolean({ description: 'The value is shown only to those who may change it' })
const secret = Type.Boolean({ description: 'The value is never shown again; once true it stays true' })

export const VariableKey = Type.Object({ key: Key })

export const NewVariable = Type.Object(
  {
    key: Key,
    value: Type.String({ maxLength: maxValueLength }),
    locked: Type.Optional({ ...locked, default: false }),
    secret: Type.Optional({ ...secret, default: false }),
  },
  { additionalProperties: false, title: 'NewVariable' },
)

export const VariableChanges = Type.Object(
  {
    value: nullable(Type.String({ maxLength: maxValueLength }), {
      description: 'Not empty, unless it is already; null, as a hidden value reads: it stays what it is',
    }),
    locked: Type.Optional(locked),
    secret: Type.Optional(secret),
  },
  { additionalProperties: false, title: 'VariableChanges' },
)

export const Variable = Type.Object(
  {
    key: Key,
    value: nullable(Type.String(), { description: 'null: hidden from the caller' }),
    locked,
    secret,
    created_at: Type.String({ format: 'date-time' }),
    updated_at: nullable(Type.String({ format: 'date-time' })),
  },
  { title: 'Variable' },
)
export type Variable = Static<typeof Variable>
