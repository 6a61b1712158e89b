/** By what lists and files of results are filtered. */
import { Type } from 'typebox'
import { checkTypes } from '../../../protocol/check-type.ts'
import { publicLocations } from '../../../protocol/location.ts'
import { InstantParameter } from '../../platform/words/shapes/instants.ts'

export const resultFilters = {
  from: Type.Optional(InstantParameter),
  to: Type.Optional(InstantParameter),
  location: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: `One of ${publicLocations.join(', ')}, or the slug of a private location`,
    }),
  ),
  checkType: Type.Optional(Type.Enum([...checkTypes])),
  hasFailures: Type.Optional(Type.Boolean()),
  hasErrors: Type.Optional(Type.Boolean({ description: 'Whether the run could not be made' })),
  isDegraded: Type.Optional(Type.Boolean()),
  resultType: Type.Enum(['FINAL', 'ATTEMPT', 'ALL'], { default: 'FINAL' }),
}
