/** Checks and locations by their names, where an answer of the API has only their ids. */
import { locationInWords } from '../../alerting/messages/message.ts'
import { listPrivateLocations } from '../../monitoring/locations/routes.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
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
  return (checkId) =>
    html`<a href="/app/checks/${checkId}">${names.get(checkId) ?? say('a deleted check')}</a>`
}

/** By the names that people gave them: results have the slugs. */
export type LocationNames = (location: string) => Content

export const locationNames = async (context: RequestContext): Promise<LocationNames> => {
  const { body } = await context.call(listPrivateLocations, {})
  const names = new Map(body.map(({ slugName, name }) => [slugName, name]))
  return (location) => names.get(location) ?? locationInWords(location)
}
