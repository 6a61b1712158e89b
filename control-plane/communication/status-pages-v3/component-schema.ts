/**
 * Components: what a page is made of. A GROUP is a card, a SERVICE a service on one of its cards; services without a group are on a card without a
 * name, the first of its page. So a service that stands on several pages is a component of each, with the same id and name.
 */
import { type Static, Type } from 'typebox'
import { pageOf } from '../../platform/words/shapes/cursor.ts'
import { DateTime, DateTimeOrNull } from '../../platform/words/shapes/instants.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { optional } from '../../platform/words/shapes/optional-fields.ts'
import { componentFields, examplePageId } from '../stored-pages/page-doc.ts'

const id = Type.String({ format: 'uuid' })
const name = Type.String({ minLength: 1, maxLength: 255 })

const fields = {
  type: Type.Enum(['SERVICE', 'GROUP'], { default: 'SERVICE', description: 'It stays what it is' }),
  ...componentFields,
  displayOrder: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 0,
    description: 'Among its siblings: lower comes first',
  }),
  parentId: nullable(id, { default: null, description: 'The GROUP that it stands in, if it is a SERVICE' }),
}

/** Of creations and changes alike: what a change leaves out has its default again. */
export const NewComponent = Type.Object(
  { name, ...optional(fields) },
  { additionalProperties: false, title: 'NewStatusPageComponent' },
)
type Body = Static<typeof NewComponent>
export type ComponentWrite = { [K in keyof Body]-?: Exclude<Body[K], undefined> }

export const Component = Type.Object(
  {
    ...{ id, statusPageId: id, name },
    ...fields,
    ...{ created_at: DateTime, updated_at: DateTimeOrNull },
  },
  { title: 'StatusPageComponent' },
)
export type Component = Static<typeof Component>
export const ComponentPage = pageOf(Component, 'StatusPageComponentPage')

export const ComponentId = Type.Object({ statusPageId: id, componentId: id })

export const exampleNewComponent = { name: 'Checkout', description: 'Cards and invoices' }
export const exampleComponent = {
  ...exampleNewComponent,
  id: '3f1d5a0e-6f42-4a3e-8d6c-0f5c2b9a7e41',
  statusPageId: examplePageId,
  type: 'SERVICE',
  displayOrder: 0,
  parentId: null,
  hidden: false,
  expandedByDefault: true,
  created_at: '2026-01-02T00:00:00.000Z',
  updated_at: null,
}
