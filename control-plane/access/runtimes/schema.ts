import { type Static, Type } from 'typebox'
import { runtimeIds } from '../../../protocol/runtime.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'

export const Runtime = Type.Object(
  {
    name: Type.Enum([...runtimeIds], { description: 'The `runtimeId` of checks and groups' }),
    nodeJsVersion: Type.String(),
    multiStepSupport: Type.Boolean({ description: 'Whether multi-step checks run in it' }),
    stage: Type.Enum(['ALPHA', 'BETA', 'CURRENT', 'STABLE', 'DEPRECATED', 'REMOVED']),
    runtimeEndOfLife: nullable(Type.String({ format: 'date' }), {
      description: 'The end of life of its Node.js release line',
    }),
    description: Type.String(),
    dependencies: Type.Record(Type.String(), Type.String(), {
      description: 'Package names and their versions',
    }),
  },
  { title: 'Runtime' },
)
export type Runtime = Static<typeof Runtime>
