/** The map of dependencies: what others depend on, what does, and what is kept back because of what. Lists within lists, without scripts. */
import type { Dependent, OnMap, Thing } from '../../monitoring/watches/dependencies/map-schema.ts'
import { listDependencies, listDependents } from '../../monitoring/watches/dependencies/routes.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { count, say } from '../../platform/web/html/say.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { dashboardPage } from './frame.ts'
import { card, stateMark } from './parts.ts'
import { type RequestContext, textOf } from './request-context.ts'

const parentsPerPage = 25
/** Of one that was opened by itself. */
const dependentsPerPage = 50
/** A narrow screen has no room for more. */
const deepest = 6
/** What a page shows of one. */
const fewest = 8

const path = '/app/dependencies'

export const dependencyMapPage = async (context: RequestContext): Promise<Reply<string>> => {
  const on = onOf(context)
  return dashboardPage(context, {
    title: say('Dependencies'),
    section: path,
    content: on === null ? await wholeMap(context) : await oneOf(context, on),
  })
}

const keyOf = ({ checkId, groupId }: Pick<Thing, 'checkId' | 'groupId'>): string =>
  checkId === null ? `group=${groupId}` : `check=${checkId}`

const onOf = (context: RequestContext): Pick<Thing, 'checkId' | 'groupId'> | null => {
  const [check, group] = [textOf(context, 'check'), textOf(context, 'group')]
  if (check !== '') return { checkId: check, groupId: null }
  return /^\d{1,9}$/.test(group) ? { checkId: null, groupId: Number(group) } : null
}

const nextOf = (context: RequestContext): { nextId?: string } => {
  const nextId = textOf(context, 'next')
  return nextId === '' ? {} : { nextId }
}

const wholeMap = async (context: RequestContext): Promise<Content> => {
  const { body } = await context.call(listDependencies, {
    query: { limit: parentsPerPage, ...nextOf(context) },
  })
  const { entries } = body
  if (entries.length === 0)
    return card(
      '',
      html`<p class="empty">Nothing depends on anything. The forms of checks and groups say what they depend on.</p>`,
    )
  const around = { byKey: new Map(entries.map((entry) => [keyOf(entry), entry])), placed: new Set<string>() }
  const isBelow = ({ dependsOn }: OnMap): boolean => dependsOn.some((one) => around.byKey.has(keyOf(one)))
  // What is too deep, or among what is only counted, stands by itself.
  const trees = [...entries.filter((entry) => !isBelow(entry)), ...entries].flatMap((entry) =>
    around.placed.has(keyOf(entry)) ? [] : [branch(entry, { ...around, depth: 1 })],
  )
  return [card('', html`<ul class="map">${trees}</ul>`, 'list'), pager(path, body.nextId)]
}

/** `placed`: what has its place already; met again, it is named alone. */
type Around = { byKey: ReadonlyMap<string, OnMap>; placed: Set<string>; depth: number }

const branch = (entry: OnMap, around: Around, own: Content = null): Html => {
  const { byKey, placed, depth } = around
  placed.add(keyOf(entry))
  const shown = entry.dependents.slice(0, fewest)
  const left = entry.dependentsCount - shown.length
  const rest =
    left > 0
      ? html`<li><a href="${path}?${keyOf(entry)}">${count(left, { one: 'and # more', other: 'and # more' })}</a></li>`
      : null
  return html`<li>${lineOf(entry)}${own}${behind(entry.keptBackCount)}<ul>${shown.map((one) => {
    const below = depth < deepest && !placed.has(keyOf(one)) ? byKey.get(keyOf(one)) : undefined
    return below === undefined ? leaf(one) : branch(below, { ...around, depth: depth + 1 }, untold(one))
  })}${rest}</ul></li>`
}

const leaf = (one: Dependent): Html => html`<li>${lineOf(one)}${untold(one)}</li>`

/** Nothing is said of what is not down: it may be well, or nobody knows. */
const lineOf = (one: Thing & { isDown: boolean }): Html =>
  html`${nameOf(one)}${one.isDown ? html` ${stateMark('failing')}` : null}`

const nameOf = ({ checkId, groupId, name }: Thing): Content =>
  checkId === null
    ? html`<a href="/app/groups/${String(groupId)}" dir="auto">${name}</a> <span class="quiet">group</span>`
    : html`<a href="/app/checks/${checkId}" dir="auto">${name}</a>`

const behind = (total: number): Content =>
  total === 0
    ? null
    : html` <span class="quiet">${count(total, { one: '# check behind it is not told of', other: '# checks behind it are not told of' })}</span>`

const untold = ({ checkId, keptBackCount: total }: Dependent): Content => {
  if (total === 0) return null
  const words =
    checkId === null
      ? count(total, { one: '# check is not told of', other: '# checks are not told of' })
      : say('is not told of')
  return html` <span class="quiet">${words}</span>`
}

const oneOf = async (
  context: RequestContext,
  { checkId, groupId }: Pick<Thing, 'checkId' | 'groupId'>,
): Promise<Content> => {
  const of = checkId === null ? { groupId: groupId ?? 0 } : { checkId }
  const { body } = await context.call(listDependents, {
    query: { limit: dependentsPerPage, ...of, ...nextOf(context) },
  })
  return [
    html`<p class="intro"><a href="${path}">The whole map</a></p>`,
    card(
      'What depends on it',
      body.entries.length === 0
        ? html`<p class="empty">Nothing depends on it.</p>`
        : html`<ul class="map">${body.entries.map(leaf)}</ul>`,
      'list',
    ),
    pager(`${path}?${keyOf({ checkId, groupId })}`, body.nextId),
  ]
}

const pager = (to: string, nextId: string | null): Html | null =>
  nextId === null
    ? null
    : html`<nav class="pager" aria-label="Pages of the list"><a class="button second" rel="next" href="${to}${to.includes('?') ? '&' : '?'}next=${nextId}">Next page</a></nav>`
