/**
 * What is done with many checks at once: each goes the way of the API by itself, with its own entry in the audit log, and what is
 * refused stays as it was.
 */

import { putSubscription } from '../../alerting/alert-channels/routes.ts'
import { changeAnyCheck } from '../../monitoring/definitions/checks/generic-routes.ts'
import { readCheck, removeCheck } from '../../monitoring/definitions/checks/routes.ts'
import { triggerCheckSessions } from '../../monitoring/watches/check-sessions/routes.ts'
import { html } from '../../platform/web/html/html.ts'
import { counted } from '../../platform/web/html/words.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { boundedIds, searchOf } from './checks-page.ts'
import { dashboardPage } from './frame.ts'
import { sessionsPath } from './operation-page.ts'
import { type RequestContext, seeOther } from './request-context.ts'

const changes: { readonly [act: string]: object } = {
  pause: { activated: false },
  resume: { activated: true },
  mute: { muted: true },
  unmute: { muted: false },
}

export const bulkAction = async (context: RequestContext): Promise<Reply<string>> => {
  const ids = boundedIds(context.body['checkIds'])
  const act = String(context.body['_do'] ?? '')
  const back = `/app/checks?${searchOf(context)}`
  if (ids.length === 0) return seeOther(back)
  if (act === 'run') return runNow(context, ids)
  if (act === 'delete') return confirmPage(context, ids, back)
  if (act === 'subscribe')
    return finished(back, await eachOf(ids, subscribeOne(context, Number(context.body['channel']))), 'saved')
  const change = changes[act]
  if (act === 'really-delete')
    return finished(back, await eachOf(ids, (id) => context.call(removeCheck, partOf(id))), 'deleted')
  if (change === undefined) throw new ApiError(400, 'Nothing of that kind can be done with checks')
  const changeOne = (id: string) => context.call(changeAnyCheck, { ...partOf(id), body: { ...change } })
  return finished(back, await eachOf(ids, changeOne), 'saved')
}

const subscribeOne = (context: RequestContext, id: number) => (checkId: string) =>
  context.call(putSubscription, { params: { id }, body: { checkId, activated: true }, isPart: true })

/** Each has an entry of its own in the audit log. */
const partOf = (id: string) => ({ params: { id }, isPart: true })

const finished = (back: string, isWhole: boolean, said: string): Reply<string> =>
  seeOther(`${back}&said=${isWhole ? said : 'some'}`)

const runNow = async (context: RequestContext, ids: string[]): Promise<Reply<string>> => {
  const { body } = await context.call(triggerCheckSessions, {
    body: { target: { checkId: ids } },
    isPart: true,
  })
  return seeOther(sessionsPath(body.sessions))
}

/** Whether all were changed. One that somebody else deleted meanwhile does not hold up the others. */
const eachOf = async (ids: readonly string[], act: (id: string) => Promise<unknown>): Promise<boolean> => {
  let isWhole = true
  for (const id of ids)
    try {
      await act(id)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 403) throw error
      isWhole = false
    }
  return isWhole
}

const confirmPage = async (
  context: RequestContext,
  ids: readonly string[],
  back: string,
): Promise<Reply<string>> => {
  const names: string[] = []
  for (const id of ids) names.push((await context.call(readCheck, { params: { id } })).body.name)
  return dashboardPage(context, {
    title: `Delete ${counted(ids.length, 'check')}?`,
    section: '/app/checks',
    trail: [[back, 'Checks']],
    content: html`<section class="card"><p>They are deleted with all their results. This cannot be undone.</p><ul class="plain">${names.map((name) => html`<li>${name}</li>`)}</ul></section><form method="post" action="/app/checks/bulk">${ids.map(
      (id) => html`<input type="hidden" name="checkIds[]" value="${id}">`,
    )}<div class="buttons"><button class="danger" name="_do" value="really-delete">Delete</button><a class="button second" href="${back}">Cancel</a></div></form>`,
  })
}
