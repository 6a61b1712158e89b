/**
 * Snippets: Node.js code that checks share, as setup or teardown of API checks or required
 * from browser scripts as `./snippets/<name>.js`.
 */
import { type Static, Type } from 'typebox'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { SnippetWarning } from './snippet-warnings.ts'

/** The name is a file's name in the sandbox: no path in it. */
const Name = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[^/\\\\\\u0000-\\u001f]+$',
  description: 'Also the name of its file, without `.js`',
})
const Script = Type.String({ maxLength: 500_000, description: 'Node.js code' })

export const NewSnippet = Type.Object(
  { name: Name, script: Script },
  { additionalProperties: false, title: 'NewSnippet' },
)
export type NewSnippet = Static<typeof NewSnippet>

export const Snippet = Type.Object(
  {
    id: Type.Integer(),
    name: Name,
    script: Script,
    created_at: Type.String({ format: 'date-time' }),
    updated_at: nullable(Type.String({ format: 'date-time' })),
    warnings: Type.Optional(
      Type.Array(SnippetWarning, { description: 'Only in answers to writes: that it cannot be parsed' }),
    ),
  },
  { title: 'Snippet' },
)
export type Snippet = Static<typeof Snippet>
