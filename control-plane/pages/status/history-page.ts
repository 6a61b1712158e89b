/** What was: incidents by month, each with its permanent page. */
import { type Html, html } from '../../platform/web/html/html.ts'
import { dateText, instant } from './dates.ts'
import { affected, beganAt, lasted } from './event-facts.ts'
import { type Document, framed, type Site } from './frame.ts'
import type { IncidentView, PageModel } from './model.ts'

/** `of`: where it stands, which says how deep its headings are. */
export const pastByMonth = (
  { past, open }: Pick<PageModel, 'past' | 'open'>,
  site: Site,
  of: 'page' | 'section',
): Html => {
  const { words } = site
  if (past.length === 0)
    return html`<p class="quiet">${open.length > 0 ? words.noOtherIncidents : words.noPastIncidents}</p>`
  const months = Map.groupBy(past, (incident) => dateText(words, 'month', beganAt(incident)))
  return html`<div class="months">${[...months].map(([month, incidents]) => html`${of === 'page' ? html`<h2 class="m">${month}</h2>` : html`<h3 class="m">${month}</h3>`}<ul class="card">${incidents.map((each) => pastIncident(each, site))}</ul>`)}</div>`
}

const pastIncident = (incident: IncidentView, { words, prefix }: Site): Html =>
  html`<li><a href="${prefix}/incidents/${incident.id}" dir="auto">${incident.name}</a><p class="meta"><span>${instant(words, beganAt(incident))}</span>${lasted(words, incident)}${affected(words, incident.services)}</p></li>`

export const historyPage = ({ branding, past, open, isPrivate }: PageModel, site: Site): Document =>
  framed({
    site,
    branding,
    isPrivate,
    title: `${site.words.pastIncidents} · ${branding.name}`,
    main: html`<div class="one" id="services"><h1>${site.words.pastIncidents}</h1></div>${pastByMonth({ past, open }, site, 'page')}`,
  })
