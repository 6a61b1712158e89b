/**
 * What is done with many checks at once: each goes the way of the API by itself, with its own entry in the audit log, and what is
 * refused stays as it was.
 */
import { putSubscription } from '../../alerting/alert-channels/routes.ts'
import { bodyOfCheck } from '../../monitoring/definitions/checks/export-route.ts'
import { changeAnyCheck, createAnyCheck } from '../../monitoring/definitions/checks/generic-routes.ts'
import { orderedChecks } from '../../monitoring/definitions/checks/list-queries.ts'
import { readCheck, removeCheck } from '../../monitoring/definitions/checks/routes.ts'
import { triggerCheckSessions } from '../../monitoring/watches/check-sessions/routes.ts'
import { html } from '../../platform/web/html/html.ts'
import { count, number, say } from '../../platform/web/html/say.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { cursorIn, cursorText, filterOf, perPage, searchOf } from './check-filter.ts'
import { dashboardPage } from './frame.ts'
import { sessionsPath } from './operation-page.ts'
import { namesOfChecks } from './queries.ts'
import { type RequestContext, seeOther } from './request-context.ts'

const changes: { readonly [act: string]: object } = {
  pause: { activated: false },
  resume: { activated: true },
  mute: { muted: true },
  unmute: { muted: false },
}

/** With as many at once each has its turn, and whoever asked still waits. */
const mostAtOnce = 1000
const mostNamed = 100

export const bulkAction = async (context: RequestContext): Promise<Reply<string>> => {
  const act = fieldOf(context, '_do')
  const back = `/app/checks?${searchOf(context)}`
  const ids = await chosen(context)
  if (ids.length === 0) return seeOther(back)
  if (act === 'run') return ids.length > mostAtOnce ? tooManyPage(context, back) : runNow(context, ids)
  if (act === 'delete') return confirmPage(context, ids, back)
  const piece = ids.slice(0, mostAtOnce)
  const last = await placeOf(context, piece.at(-1) ?? '')
  const done = await eachOf(piece, actOn(context, act))
  if (ids.length > piece.length && last !== undefined)
    return nextPieceCard(context, {
      act,
      back,
      last,
      done: doneBefore(context) + piece.length,
      isWhole: done,
    })
  return seeOther(
    `${back}&said=${!done ? 'some' : act === 'really-delete' ? 'deleted' : act === 'clone' ? 'created' : 'saved'}`,
  )
}

const fieldOf = ({ body }: RequestContext, name: string): string => String(body[name] ?? '').trim()

/** Those that are ticked, or all that the filters of the list find: one more than may be, where there are too many. */
const chosen = async (context: RequestContext): Promise<string[]> => {
  if (fieldOf(context, '_all') !== 'yes') return boundedIds(context.body['checkIds'])
  const after = cursorIn(fieldOf(context, '_after'), 'created')
  const first = { order: 'created', after, limit: mostAtOnce + 1 } as const
  return (await orderedChecks(context.app.db, filterOf(context), first)).map(({ id }) => id)
}

export const boundedIds = (value: unknown): string[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value])
    .map(String)
    .filter((id) => id.length === 36)
    .slice(0, perPage)

/** @throws ApiError 400 */
const actOn = (context: RequestContext, act: string): ((id: string) => Promise<unknown>) => {
  const change = (id: string, body: object) => context.call(changeAnyCheck, { ...partOf(id), body })
  const simple = changes[act]
  if (simple !== undefined) return (id) => change(id, simple)
  if (act === 'really-delete') return (id) => context.call(removeCheck, partOf(id))
  if (act === 'clone') return (id) => cloneCheck(context, id)
  if (act === 'frequency') return (id) => change(id, { frequency: Number(fieldOf(context, 'frequency')) })
  if (act === 'group') return (id) => change(id, { groupId: Number(fieldOf(context, 'group')) || null })
  if (act === 'locations')
    return (id) => change(id, { privateLocations: [fieldOf(context, 'location')].filter(Boolean) })
  if (act === 'subscribe' || act === 'unsubscribe') {
    const params = { id: Number(fieldOf(context, 'channel')) }
    const activated = act === 'subscribe'
    return (checkId) => context.call(putSubscription, { params, body: { checkId, activated }, isPart: true })
  }
  const tag = fieldOf(context, 'tag')
  if ((act === 'tag' || act === 'untag') && tag !== '')
    return async (id) => {
      const { tags } = (await context.call(readCheck, { params: { id } })).body
      const others = tags.filter((each) => each !== tag)
      return change(id, { tags: act === 'tag' ? [...others, tag] : others })
    }
  throw new ApiError(400, 'Nothing of that kind can be done with checks')
}

/** What can be said of a new check, as this one has it. Its pings and results are its own. */
const cloneCheck = async (context: RequestContext, id: string): Promise<unknown> => {
  const { body: check } = await context.call(readCheck, {
    params: { id },
    query: { includeDependencies: true },
  })
  const body = { ...bodyOfCheck(check), name: `${check.name} (copy)`.slice(0, 255) }
  return context.call(createAnyCheck, { body, isPart: true })
}

/** Each has an entry of its own in the audit log. */
const partOf = (id: string) => ({ params: { id }, isPart: true })

const runNow = async (context: RequestContext, ids: string[]): Promise<Reply<string>> => {
  const sessions = []
  for (let at = 0; at < ids.length; at += perPage) {
    const target = { checkId: ids.slice(at, at + perPage) }
    const { body } = await context.call(triggerCheckSessions, { body: { target }, isPart: true })
    sessions.push(...body.sessions)
  }
  return seeOther(sessionsPath(sessions))
}

/** Whether all were changed. One that somebody else deleted meanwhile does not hold up the others. */
export const eachOf = async (
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
): Promise<boolean> => {
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

const doneBefore = (context: RequestContext): number =>
  Number(/^\d{1,7}$/.exec(fieldOf(context, '_done')) ?? 0)

/** Ages stay as they are, whatever was changed: the next piece begins behind this check, also when it is gone. */
const placeOf = async (context: RequestContext, id: string): Promise<string | undefined> => {
  if (fieldOf(context, '_all') !== 'yes') return undefined
  const [check] = await orderedChecks(
    context.app.db,
    { accountId: context.principal.accountId, checkId: id },
    { order: 'created', after: undefined, limit: 1 },
  )
  return check && cursorText({ key: check.key, createdAt: check.created_at, id: check.id })
}

type Piece = { act: string; back: string; last: string; done: number; isWhole: boolean }

const kept = ['tag', 'group', 'channel', 'frequency', 'location'] as const

/** Each piece is one request, so that nobody waits without a word; what was done stays done, whoever stops here. */
const nextPieceCard = (
  context: RequestContext,
  { act, back, last, done, isWhole }: Piece,
): Promise<Reply<string>> => {
  const fields = Object.entries({ _all: 'yes', _after: last, _done: String(done) })
  const given = kept
    .map((name) => [name, fieldOf(context, name)] as const)
    .filter(([, value]) => value !== '')
  return dashboardPage(context, {
    title: say('{0} are done', number(done)),
    section: '/app/checks',
    trail: [[back, say('Checks')]],
    content: html`<section class="card">${isWhole ? null : html`<p>Some could not be changed: they are as they were.</p>`}<p role="status">There are more that match.</p><form method="post" action="/app/checks/bulk?${searchOf(context)}">${[
      ...fields,
      ...given,
    ].map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    )}<div class="buttons"><button name="_do" value="${act}">Go on with the next ${number(mostAtOnce)}</button><a class="button second" href="${back}">Stop here</a></div></form></section>`,
  })
}

const tooManyPage = (context: RequestContext, back: string): Promise<Reply<string>> =>
  dashboardPage(context, {
    title: say('Too many at once'),
    section: '/app/checks',
    status: 400,
    trail: [[back, say('Checks')]],
    content: html`<section class="card"><p>More than ${number(mostAtOnce)} checks match. Nothing was changed: filter the list by a tag, a group or a state first.</p><p><a class="button second" href="${back}">Back to the list</a></p></section>`,
  })

const confirmPage = async (
  context: RequestContext,
  ids: readonly string[],
  back: string,
): Promise<Reply<string>> => {
  const named = await context.app.db.all(namesOfChecks, {
    accountId: context.principal.accountId,
    checkIds: ids.slice(0, mostNamed),
  })
  const isAll = fieldOf(context, '_all') === 'yes'
  return dashboardPage(context, {
    title: count(ids.length, { one: 'Delete # check?', other: 'Delete # checks?' }),
    section: '/app/checks',
    trail: [[back, say('Checks')]],
    content: html`<section class="card"><p>They are deleted with all their results. This cannot be undone.</p><ul class="plain">${named.map(({ name }) => html`<li dir="auto">${name}</li>`)}${ids.length > named.length ? html`<li>and ${ids.length - named.length} more</li>` : null}</ul></section><form method="post" action="/app/checks/bulk?${searchOf(context)}">${
      isAll
        ? html`<input type="hidden" name="_all" value="yes">`
        : ids.map((id) => html`<input type="hidden" name="checkIds[]" value="${id}">`)
    }<div class="buttons"><button class="danger" name="_do" value="really-delete">Delete</button><a class="button second" href="${back}">Cancel</a></div></form>`,
  })
}
