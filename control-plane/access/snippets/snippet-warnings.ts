/** What is said when a snippet is written that no agent could parse. */
import { type Static, Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'

export const SnippetWarning = Type.Object({ message: Type.String() }, { title: 'SnippetWarning' })
type SnippetWarning = Static<typeof SnippetWarning>

/** Asked by those who keep code; answered by who knows how agents read it (`control-plane/lookups.ts`). */
export type HasSnippetParser = {
  lookups: {
    /** `, line 3: Unexpected token`; null: there is none. */
    snippetProblem(app: App, script: string, accountId: string): Promise<string | null>
  }
}

export const snippetWarnings = async (
  app: App & HasSnippetParser,
  script: string,
  accountId: string,
): Promise<SnippetWarning[]> => {
  const problem = await app.lookups.snippetProblem(app, script, accountId)
  return problem === null ? [] : [{ message: `The snippet cannot be parsed${problem}` }]
}
