/** Checks by their names, where an answer of the API has only their ids. */
import { type Html, html } from '../../platform/web/html/html.ts'
import { namesOfChecks } from './queries.ts'
import type { RequestContext } from './request-context.ts'

/** A link to a check of those that are listed; one that was deleted meanwhile has no name. */
export const checkLinks = async (
  { app, principal: { accountId } }: RequestContext,
  items: readonly { checkId: string }[],
): Promise<(checkId: string) => Html> => {
  const checkIds = [...new Set(items.map(({ checkId }) => checkId))]
  const rows = await app.db.all(namesOfChecks, { accountId, checkIds })
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return (checkId) => html`<a href="/app/checks/${checkId}">${names.get(checkId) ?? 'a deleted check'}</a>`
}
