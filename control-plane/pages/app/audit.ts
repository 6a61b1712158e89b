/** Who changed what, for people. */
import { type AuditEntry, AuditQuery, listAudit } from '../../access/audit-log/list-entries.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { appPage, appRoute, minutes } from './app-page.ts'

const pagePath = '/app/audit'

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const changes = ({ before, after }: AuditEntry): Html | null => {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  if (names.length === 0) return null
  return html`<details><summary>${names.slice(0, 6).join(', ')}${names.length > 6 ? ' …' : ''}</summary>
<table><thead><tr><th scope="col">Field</th><th scope="col">Before</th><th scope="col">After</th></tr></thead><tbody>${names.map(
    (name) =>
      html`<tr><th scope="row">${name}</th><td>${before && name in before ? shown(before[name]) : '–'}</td><td>${after && name in after ? shown(after[name]) : '–'}</td></tr>`,
  )}</tbody></table></details>`
}

const rowOf = (entry: AuditEntry): Html => html`<li>
<p><strong>${entry.action === 'SIGNED_IN' ? 'Signed in' : entry.action}</strong> ${entry.resourceId === null ? null : html`<code>${entry.resourceId}</code>`}</p>
<p class="quiet">${minutes(Date.parse(entry.created_at))} · <a href="${pagePath}?actorId=${encodeURIComponent(entry.actor.id)}">${entry.actor.name || entry.actor.id}</a> · ${entry.address}</p>
${changes(entry)}</li>`

const list = route({
  ...appRoute,
  method: 'GET',
  path: pagePath,
  access: 'ADMIN',
  summary: 'Who changed what, from where',
  query: AuditQuery,
  status: 200,
  handle: async ({ query, principal }, app) => {
    const { entries, nextId } = await listAudit(app, principal.accountId, query)
    const { actorId = '', resourceType = '', resourceId = '' } = query
    const filters = { actorId, resourceType, resourceId }
    const more = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''))
    if (nextId !== null) more.set('nextId', nextId)
    return appPage(app, principal, {
      title: 'Audit log',
      pagePath,
      content: html`<section class="card"><form method="get" action="${pagePath}"><div class="row">
<div><label for="type">Kind</label><input id="type" name="resourceType" value="${resourceType}" placeholder="checks" required></div><button>Filter</button>${more.size === 0 ? null : html`<a href="${pagePath}">All entries</a>`}</div></form></section>
<section class="card">${entries.length === 0 ? html`<p>Nothing was changed yet.</p>` : html`<ul class="list">${entries.map(rowOf)}</ul>`}
${nextId === null ? null : html`<p><a href="${pagePath}?${more.toString()}">Older entries</a></p>`}</section>`,
    })
  },
})

export const auditRoutes: Route[] = [list]
