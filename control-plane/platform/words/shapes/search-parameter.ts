import { Type } from 'typebox'

/** The query parameter of a list that is searched, to spread into its query schema. `parts`: what is looked at. */
export const searchParameter = (parts: string) => ({
  search: Type.Optional(Type.String({ maxLength: 255, description: `Part of ${parts}, in any case` })),
})
