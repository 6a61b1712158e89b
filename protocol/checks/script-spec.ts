import { type Static, Type } from 'typebox'
import { ApiScript } from './api.ts'

const File = Type.Object({ path: Type.String({ minLength: 1 }), content: Type.String() })

/**
 * What the agent is told to do: to run a script of Playwright, or a file of its test runner, with its files beside it as the
 * paths say. `snippets` are those that it requires as `./snippets/<name>.js`. `shouldFail`: a script that fails passes, and
 * one that does not fails.
 */
export const ScriptSpec = Type.Object({
  script: Type.Union([Type.String(), Type.Null()]),
  scriptPath: Type.Union([Type.String(), Type.Null()]),
  dependencies: Type.Array(File),
  snippets: Type.Optional(Type.Array(ApiScript)),
  shouldFail: Type.Boolean(),
})
export type ScriptSpec = Static<typeof ScriptSpec>
