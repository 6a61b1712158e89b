/** What depends on what, as the API shows it. */
import { type Static, Type } from 'typebox'
import { pageOf } from '../../../platform/words/shapes/cursor.ts'
import { nullable } from '../../../platform/words/shapes/nullable.ts'

const thing = {
  checkId: nullable(Type.String({ format: 'uuid' }), { description: 'Null: it is a group' }),
  groupId: nullable(Type.Integer(), { description: 'Null: it is a check' }),
  name: Type.String(),
}
const Thing = Type.Object(thing, { title: 'CheckOrGroup' })
export type Thing = Static<typeof Thing>

const isDown = Type.Boolean({ description: 'It fails; of a group: all of its active checks do' })

const Dependent = Type.Object(
  {
    ...thing,
    isDown,
    keptBackCount: Type.Integer({
      description: 'Checks (itself, or of the group) that fail and are not told of because of it',
    }),
  },
  { title: 'Dependent' },
)
export type Dependent = Static<typeof Dependent>

const OnMap = Type.Object(
  {
    ...thing,
    isDown,
    dependsOn: Type.Array(Thing, { description: 'What it depends on itself' }),
    dependentsCount: Type.Integer({ description: 'Checks and groups that name it' }),
    keptBackCount: Type.Integer({ description: 'Checks that fail and are not told of because of it' }),
    dependents: Type.Array(Dependent, { description: 'The first 20 that name it' }),
  },
  { title: 'DependedOn' },
)
export type OnMap = Static<typeof OnMap>

export const MapPage = pageOf(OnMap, 'DependencyPage')
export const DependentPage = pageOf(Dependent, 'DependentPage')
