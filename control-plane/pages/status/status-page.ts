/** The page itself, from top to bottom: how it is, what is wrong, what is planned, the services, what was, and how to hear of it. */

import { mostChosen } from '../../communication/status-page-subscriptions/subscribed-components.ts'
import type { Words } from '../../communication/stored-pages/words/words.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { instant } from './dates.ts'
import { affected } from './event-facts.ts'
import { type Document, feedPath, framed, type Site, symbolOf } from './frame.ts'
import { pastByMonth } from './history-page.ts'
import type { IncidentView, MaintenanceView, NamedService, PageModel, UpdateView } from './model.ts'
import { cardSection, dayList, legend } from './service-row.ts'
import { isUnderWay, stateOfSeverity } from './states.ts'

/** Further ones are on the page of past incidents. */
const maxPast = 20

export const statusPage = (model: PageModel, site: Site): Document => {
  const { words, prefix } = site
  const { branding, state, cards, open, maintenance, past } = model
  const underWay = maintenance.filter(isUnderWay)
  const services = [
    ...new Map(cards.flatMap((card) => card.services).map((each) => [each.id, each])).values(),
  ]
  const main = html`<div class="now">${symbolOf(state)}<div><h1 aria-live="polite">${words.sentences[state]}</h1><p class="quiet">${words.asOf} ${instant(words, model.at)} <button class="plain" type="button" data-zone hidden>${words.utc}</button></p></div></div>
${branding.description === null ? null : html`<p class="about prose" dir="auto">${branding.description}</p>`}
${open.length === 0 ? null : html`<section><h2>${words.openIncidents}</h2>${open.map((each) => incidentItem(each, site))}</section>`}
${maintenanceSection(words.maintenance, underWay, site)}
${maintenanceSection(
  words.upcoming,
  maintenance.filter((each) => !isUnderWay(each)),
  site,
)}
<section id="services" aria-label="${words.services}">${services.length === 0 ? html`<p class="quiet">${words.noServices}</p>` : html`${cards.filter((card) => card.services.length > 0).map((card) => cardSection(words, card))}${legend(words)}${dayList(words, services)}`}</section>
<section><h2>${words.pastIncidents}</h2>${pastByMonth({ past: past.slice(0, maxPast), open }, site, 'section')}<p class="more"><a href="${prefix}/history">${words.allIncidents}</a></p></section>
${model.isPrivate || site.isStatic ? null : subscribeSection(site, services)}`
  return framed({
    site,
    branding,
    isPrivate: model.isPrivate,
    isLive: true,
    title: `${words.sentences[state]} · ${branding.name}`,
    main,
  })
}

const incidentItem = (incident: IncidentView, { words, prefix }: Site): Html =>
  html`<article class="card item t-${stateOfSeverity(incident.severity)}"><h3 dir="auto"><a href="${prefix}/incidents/${incident.id}">${incident.name}</a></h3>
<p class="meta"><b>${words.severities[incident.severity] ?? incident.severity}</b>${affected(words, incident.services)}</p>${incident.updates.map((update) => latestUpdate(words, update, words.incidentStatuses))}</article>`

const latestUpdate = (
  words: Words,
  { status, description, at }: UpdateView,
  names: Record<string, string>,
): Html =>
  html`<p class="prose" dir="auto">${description}</p><p class="meta"><b>${names[status] ?? status}</b><span>${instant(words, at)}</span></p>`

const maintenanceSection = (title: string, items: readonly MaintenanceView[], site: Site): Content =>
  items.length === 0
    ? null
    : html`<section><h2>${title}</h2>${items.map((each) => maintenanceItem(each, site))}</section>`

const maintenanceItem = (
  { id, name, description, status, startsAt, endsAt, services, updates }: MaintenanceView,
  { words, prefix }: Site,
): Html =>
  html`<article class="card item t-maintenance"><h3 dir="auto"><a href="${prefix}/maintenance/${id}">${name}</a></h3>
<p class="meta"><b>${words.maintenanceStatuses[status] ?? status}</b><span>${instant(words, startsAt)} – ${instant(words, endsAt)}</span>${affected(words, services)}</p>${description === null ? null : html`<p class="prose" dir="auto">${description}</p>`}${updates.slice(0, 1).map((update) => latestUpdate(words, update, words.maintenanceStatuses))}</article>`

/** None chosen: all. */
const serviceChoice = (words: Words, services: readonly NamedService[]): Content =>
  services.length < 2
    ? null
    : html`<details><summary>${words.onlySome}</summary><fieldset><legend class="v">${words.onlySome}</legend>${services.slice(0, mostChosen).map(({ id, name }) => html`<label class="pick"><input type="checkbox" name="services[]" value="${id}"><span dir="auto">${name}</span></label>`)}</fieldset></details>`

const subscribeSection = (site: Site, services: readonly NamedService[]): Html => {
  const { words, prefix } = site
  return html`<section id="subscribe"><h2>${words.subscribe}</h2><div class="card join"><p class="quiet">${words.subscribeText}</p>
<form method="post" action="${prefix}/subscribe"><label>${words.address}<input name="address" type="email" autocomplete="email" required maxlength="254"></label><button>${words.subscribeButton}</button>${serviceChoice(words, services)}</form>
<p class="feeds"><span class="quiet">${words.feeds}:</span> <a href="${feedPath(site, 'feed.atom')}">Atom</a> <a href="${feedPath(site, 'feed.rss')}">RSS</a> <a href="${feedPath(site, 'feed.json')}">JSON</a> <a href="${feedPath(site, 'maintenance.ics')}">${words.calendar}</a> <a href="${feedPath(site, 'api/status.json')}">API</a></p></div></section>`
}
