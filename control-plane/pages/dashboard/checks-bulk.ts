/**
 * What is done with many checks at once: each goes the way of the API by itself, with its own entry in the audit log, and what is
 * refused stays as it was.
 */

import { html } from '../../platform/web/html/html.ts'
import { counted } from '../../platform/web/html/words.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { boundedIds, searchOf } from './checks-page.ts'
import type { Ask } from './door.ts'
import { dashboardPage } from './frame.ts'
import { sessionsPath } from './operation-page.ts'
import { seeOther, type Visit } from './visit.ts'

const changes: { readonly [act: string]: object } = {
  pause: { activated: false },
  resume: { activated: true },
  mute: { muted: true },
  unmute: { muted: false },
}

export const bulkAction = async (visit: Visit): Promise<Reply<string>> => {
  const ids = boundedIds(visit.body['checkIds'])
  const act = String(visit.body['_do'] ?? '')
  const back = `/app/checks?${searchOf(visit)}`
  if (ids.length === 0) return seeOther(back)
  if (act === 'run') return runNow(visit, ids)
  if (act === 'delete') return confirmPage(visit, ids, back)
  const change = changes[act]
  if (act === 'really-delete')
    return finished(back, await eachOf(visit, ids, 'DELETE /v1/checks/:id', {}), 'deleted')
  if (change === undefined) throw new ApiError(400, 'Nothing of that kind can be done with checks')
  return finished(back, await eachOf(visit, ids, 'PUT /v1/checks/:id', { body: change }), 'saved')
}

const finished = (back: string, isWhole: boolean, said: string): Reply<string> =>
  seeOther(`${back}&said=${isWhole ? said : 'some'}`)

const runNow = async (visit: Visit, ids: readonly string[]): Promise<Reply<string>> => {
  const { body } = await visit.call('POST /v2/check-sessions/trigger', {
    body: { target: { checkId: ids } },
    isPart: true,
  })
  return seeOther(sessionsPath(body.sessions))
}

/** Whether all were changed. One that somebody else deleted meanwhile does not hold up the others. */
const eachOf = async (
  visit: Visit,
  ids: readonly string[],
  operation: string,
  ask: Ask,
): Promise<boolean> => {
  let isWhole = true
  for (const id of ids)
    try {
      await visit.call(operation, {
        ...ask,
        ...(ask.body === undefined ? {} : { body: { ...(ask.body as object) } }),
        params: { id },
        isPart: true,
      })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 403) throw error
      isWhole = false
    }
  return isWhole
}

const confirmPage = async (visit: Visit, ids: readonly string[], back: string): Promise<Reply<string>> => {
  const names: string[] = []
  for (const id of ids) names.push((await visit.call('GET /v1/checks/:id', { params: { id } })).body.name)
  return dashboardPage(visit, {
    title: `Delete ${counted(ids.length, 'check')}?`,
    place: '/app/checks',
    trail: [[back, 'Checks']],
    content: html`<section class="card"><p>They are deleted with all their results. This cannot be undone.</p><ul class="plain">${names.map((name) => html`<li>${name}</li>`)}</ul></section><form method="post" action="/app/checks/bulk">${ids.map(
      (id) => html`<input type="hidden" name="checkIds[]" value="${id}">`,
    )}<div class="buttons"><button class="danger" name="_do" value="really-delete">Delete</button><a class="button second" href="${back}">Cancel</a></div></form>`,
  })
}
