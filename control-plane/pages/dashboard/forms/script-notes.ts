/** What no agent could parse of the programs that a form holds: said beside them, before and after they are saved. */

import { scriptProblem, snippetProblem } from '../../../monitoring/definitions/checks/script-problem.ts'
import type { RequestContext } from '../request-context.ts'
import type { Notes } from './control-html.ts'
import type { Tree } from './read-body.ts'

const functions = ['localSetupScript', 'localTearDownScript']

/** `tag`: of the route whose form it is. */
export const scriptNotes = async (
  { app, principal: { accountId } }: RequestContext,
  tag: string,
  body: Tree,
): Promise<Notes> => {
  const notes = new Map<string, { line: number | null; message: string }>()
  const note = (name: string, problem: { line: number | null; message: string } | null): void => {
    if (problem !== null) notes.set(name, problem)
  }
  for (const name of functions) {
    const code = body[name]
    if (typeof code === 'string') note(name, await scriptProblem(app, { code, as: 'function' }, accountId))
  }
  const { script } = body
  if (typeof script !== 'string') return notes
  if (tag === 'Snippets') note('script', await snippetProblem(app, script, accountId))
  else if (!/x$/.test(String(body['scriptPath'] ?? '')))
    note('script', await scriptProblem(app, { code: script, as: 'file' }, accountId))
  return notes
}
