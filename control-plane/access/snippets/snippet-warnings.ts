/** What is said when a snippet is written that no agent could parse. */
import { type Static, Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'

export const SnippetWarning = Type.Object({ message: Type.String() }, { title: 'SnippetWarning' })
type SnippetWarning = Static<typeof SnippetWarning>

/** Asked by those who keep code; answered by who knows how agents read it (`control-plane/lookups.ts`). */
export type HasSnippetParser = {
  lookups: {
    snippetProblem(
      app: App,
      script: string,
      accountId: string,
    ): Promise<{ line: number | null; message: string } | null>
  }
}

export const snippetWarnings = async (
  app: App & HasSnippetParser,
  script: string,
  accountId: string,
): Promise<SnippetWarning[]> => {
  const problem = await app.lookups.snippetProblem(app, script, accountId)
  if (problem === null) return []
  const where = problem.line === null ? '' : `, line ${problem.line}`
  return [{ message: `The snippet cannot be parsed${where}: ${problem.message}` }]
}
