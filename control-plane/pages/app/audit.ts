/** Who changed what, as sentences. */
import { Type } from 'typebox'
import { type AuditEntry, type AuditQuery, listAudit } from '../../access/audit-log/list-entries.ts'
import { membersByName, serviceKeysByName } from '../../access/audit-log/queries.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { utc } from '../../platform/web/html/utc.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { answerView } from '../dashboard/answer-view.ts'
import { sayLabel } from '../dashboard/forms/words.ts'
import { querystringOf } from '../dashboard/internal-client.ts'
import { namesOfChecks } from '../dashboard/queries.ts'
import { appPage, appRoute } from './app-page.ts'
import { deedOf, kindsOfThings, needsName, pageOf } from './audit-deeds.ts'

const pagePath = '/app/audit'
const perPage = 50
const maxPeople = 200

type Filters = { [N in 'actorId' | 'resourceType' | 'resourceId' | 'from' | 'to' | 'nextId']?: string }

/** An id by a name: of people and keys, and of checks that an entry names by their id alone. */
type Names = ReadonlyMap<string, string>

const linkTo = (filters: Filters): string => {
  const search = querystringOf(filters)
  return search === '' ? pagePath : `${pagePath}?${search}`
}

const who = ({ actor }: AuditEntry, people: Names): Html =>
  html`<a href="${linkTo({ actorId: actor.id })}" title="${actor.name}">${people.get(actor.id) ?? (actor.name === '' ? say('A deleted key') : actor.name)}</a>`

/** Runs by hand are of checks, whose names are in what was answered. */
const started = ({ after }: AuditEntry): Content => {
  const sessions = after?.['sessions']
  const names = (Array.isArray(sessions) ? sessions : []).map(({ name }: { name?: unknown }) =>
    String(name ?? ''),
  )
  return names.length > 3
    ? say('{0} and {1} more', names.slice(0, 3).join(', '), names.length - 3)
    : names.join(', ')
}

const sentenceOf = (entry: AuditEntry, { people, checks }: { people: Names; checks: Names }): Content => {
  const deed = deedOf(entry)
  const { resourceId, resourceName } = entry
  const name = resourceName ?? checks.get(resourceId ?? '') ?? started(entry)
  const page = pageOf(deed, resourceId)
  const shown = name === '' && needsName(deed) && resourceId !== null ? say('no. {0}', resourceId) : name
  const named =
    page === null ? html`<b dir="auto">${shown}</b>` : html`<a href="${page}" dir="auto">${shown}</a>`
  return say(
    deed.sentence,
    who(entry, people),
    deed.thing === '' ? '' : say(deed.thing),
    shown === '' ? '' : named,
  )
}

/** Of each thing that was made, and no change of it; another name of `codeBundleId`; and what came of runs and plans, which their own pages show. */
const unsaid = new Set([
  ...['id', 'accountId', 'created_at', 'updated_at', 'codeBundlePath'],
  ...[
    'testSessionId',
    'testSessionLink',
    'provider',
    'results',
    'changes',
    'plan',
    'diff',
    'appliedAt',
    'committedAt',
  ],
])

const isSomething = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)

const cell = (fields: AuditEntry['before'], name: string): Html =>
  html`<td>${fields !== null && name in fields ? answerView(fields[name], name) : '–'}</td>`

const changes = ({ before, after }: AuditEntry): Html | null => {
  const isChange = before !== null && after !== null
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => !unsaid.has(name) && (isChange || isSomething((before ?? after)?.[name])),
  )
  if (names.length === 0) return null
  const summary = isChange
    ? names.slice(0, 6).map((name, at) => [at === 0 ? '' : ', ', sayLabel(name)])
    : before === null
      ? say('As it was made')
      : say('As it was')
  return html`<details><summary>${summary}${isChange && names.length > 6 ? ' …' : ''}</summary>
<div class="scroll" tabindex="0" role="group" aria-label="${summary}"><table class="list"><thead><tr><th scope="col">Field</th>${before === null ? null : html`<th scope="col">Before</th>`}${after === null ? null : html`<th scope="col">After</th>`}</tr></thead><tbody>${names.map(
    (name) =>
      html`<tr><th scope="row">${sayLabel(name)}</th>${before === null ? null : cell(before, name)}${after === null ? null : cell(after, name)}</tr>`,
  )}</tbody></table></div></details>`
}

const rowOf = (entry: AuditEntry, names: { people: Names; checks: Names }): Html => html`<li>
<p>${sentenceOf(entry, names)}</p>
<p class="quiet">${utc(Date.parse(entry.created_at))} · from ${entry.address}${entry.resourceId === null || entry.resourceType === 'sign-in' ? null : html` · <a href="${linkTo({ resourceId: entry.resourceId })}">everything about it</a>`}</p>
${changes(entry)}</li>`

const option = (value: string, label: Content, chosen: string): Html =>
  html`<option value="${value}"${value === chosen ? html` selected` : null}>${label}</option>`

const filterForm = (
  { actorId = '', resourceType = '', resourceId = '', from = '', to = '' }: Filters,
  people: Names,
): Html =>
  html`<form class="filters" method="get" action="${pagePath}">${resourceId === '' ? null : html`<input type="hidden" name="resourceId" value="${resourceId}">`}<label>Who<select name="actorId"><option value="">anybody</option>${[...people].map(([id, name]) => option(id, name, actorId))}${actorId === '' || people.has(actorId) ? null : option(actorId, say('somebody who left'), actorId)}</select></label><label>What<select name="resourceType"><option value="">anything</option>${Object.entries(kindsOfThings).map(([type, name]) => option(type, name, resourceType))}</select></label><label>From<input type="date" name="from" value="${from}"></label><label>Before<input type="date" name="to" value="${to}"></label><button class="second">Filter</button>${actorId + resourceType + resourceId + from + to === '' ? null : html` <a href="${pagePath}">All entries</a>`}</form><p class="quiet">Days begin at midnight UTC.</p>`

const Text = Type.Optional(Type.String({ maxLength: 200 }))

/** What a form leaves empty is not asked for. */
const chosen = (query: Filters): Filters =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))

const list = route({
  ...appRoute,
  method: 'GET',
  path: pagePath,
  access: 'ADMIN',
  summary: 'Who changed what, from where',
  query: Type.Object({
    ...{ actorId: Text, resourceType: Text, resourceId: Text, from: Text, to: Text },
    nextId: Type.Optional(Type.String({ maxLength: 512 })),
  }),
  status: 200,
  handle: async ({ query, principal }, app) => {
    const { accountId } = principal
    const filters = chosen(query)
    const asked: AuditQuery = { ...filters, limit: perPage }
    const { entries, nextId } = await listAudit(app, accountId, asked)
    const members = await app.db.all(membersByName, { accountId, limit: maxPeople })
    const keys = await app.db.all(serviceKeysByName, { accountId, limit: maxPeople })
    const people = new Map([
      ...members.map(({ id, name, email }): [string, string] => [id, name || email]),
      ...keys.map(({ id, name }): [string, string] => [id, name]),
    ])
    const checkIds = entries.flatMap(({ resourceName, resourceId }) =>
      resourceName === null && resourceId !== null ? [resourceId] : [],
    )
    const rows = await app.db.all(namesOfChecks, { accountId, checkIds })
    const checks = new Map(rows.map(({ id, name }) => [id, name]))
    return appPage(app, principal, {
      title: 'Audit log',
      pagePath,
      content: html`${filterForm(filters, people)}
<section class="card">${entries.length === 0 ? html`<p class="empty">Nothing like this was changed.</p>` : html`<ul class="list">${entries.map((entry) => rowOf(entry, { people, checks }))}</ul>`}
${nextId === null ? null : html`<p class="pager"><a class="button second" rel="next" href="${linkTo({ ...filters, nextId })}">Older entries</a></p>`}</section>`,
    })
  },
})

export const auditRoutes: Route[] = [list]
