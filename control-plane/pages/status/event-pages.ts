/** The permanent pages of one incident and of one maintenance, with all that was said about it. */

import type { Words } from '../../communication/stored-pages/words/words.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { instant } from './dates.ts'
import { lastedText, names } from './event-facts.ts'
import { type Document, framed, type Site, symbolOf } from './frame.ts'
import type { IncidentView, MaintenanceView, PageModel, UpdateView } from './model.ts'
import { stateOfSeverity } from './states.ts'

export const incidentPage = (
  { branding, isPrivate }: PageModel,
  incident: IncidentView,
  site: Site,
): Document => {
  const { words } = site
  const state = incident.status === 'RESOLVED' ? 'operational' : stateOfSeverity(incident.severity)
  const duration = lastedText(words, incident)
  const main = html`<article class="one" id="services"><h1 dir="auto">${incident.name}</h1>
<p class="word">${symbolOf(state)}${words.incidentStatuses[incident.status] ?? incident.status}<span class="quiet">${words.severities[incident.severity] ?? incident.severity}</span></p>
<dl class="facts">${incident.services.length === 0 ? null : fact(words.affected, names(incident.services))}${duration === null ? null : fact(words.lasted, duration)}</dl>
<h2>${words.updates}</h2>${updateList(words, incident.updates, words.incidentStatuses)}</article>`
  return framed({ site, branding, isPrivate, title: `${incident.name} · ${branding.name}`, main })
}

export const maintenancePage = (
  { branding, isPrivate }: PageModel,
  maintenance: MaintenanceView,
  site: Site,
): Document => {
  const { words } = site
  const { name, description, status, startsAt, endsAt, services, updates } = maintenance
  const main = html`<article class="one" id="services"><h1 dir="auto">${name}</h1>
<p class="word">${symbolOf('maintenance')}${words.maintenanceStatuses[status] ?? status}</p>
<dl class="facts">${fact(words.maintenance, html`${instant(words, startsAt)} – ${instant(words, endsAt)}`)}${services.length === 0 ? null : fact(words.affected, names(services))}</dl>
${description === null ? null : html`<p class="about prose" dir="auto">${description}</p>`}${updates.length === 0 ? null : html`<h2>${words.updates}</h2>${updateList(words, updates, words.maintenanceStatuses)}`}</article>`
  return framed({ site, branding, isPrivate, title: `${name} · ${branding.name}`, main })
}

const fact = (label: string, value: Content): Html => html`<dt>${label}</dt><dd>${value}</dd>`

const updateList = (words: Words, updates: readonly UpdateView[], statuses: Record<string, string>): Html =>
  html`<ol class="updates">${updates.map(({ status, description, at }) => html`<li><h3>${statuses[status] ?? status}</h3><p class="quiet">${instant(words, at)}</p><p class="prose" dir="auto">${description}</p></li>`)}</ol>`
