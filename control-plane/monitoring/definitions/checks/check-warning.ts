/** What a check, or a group of them, was allowed to be written with and will not do what was meant by it. */
import { type Static, Type } from 'typebox'
import { nullable } from '../../../platform/words/shapes/nullable.ts'

export const CheckWarning = Type.Object(
  {
    location: nullable(Type.String(), {
      description: 'Code of a public location or slug of a private one; null: it is so wherever it runs',
    }),
    message: Type.String(),
  },
  { title: 'CheckWarning' },
)
export type CheckWarning = Static<typeof CheckWarning>
