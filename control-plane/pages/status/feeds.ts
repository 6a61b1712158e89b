/** Feeds of a page: RSS 2.0, Atom (RFC 4287), JSON Feed 1.1, and a calendar of maintenance (RFC 5545). Pure. */
import { type Html, html, markupOf } from '../../platform/web/html/html.ts'
import { beganAt } from './event-facts.ts'
import { inItsLanguage, type Site } from './frame.ts'
import type { IncidentView, MaintenanceView, PageModel } from './model.ts'

export type FeedFacts = {
  site: Site
  model: PageModel
  /** The newest ones, with their updates. */
  incidents: readonly IncidentView[]
  maintenance: readonly MaintenanceView[]
}

type Entry = { id: string; title: string; link: string; text: string; at: number; changedAt: number }

const iso = (at: number): string => new Date(at).toISOString()

const entriesOf = ({ site: { root, words }, incidents, maintenance }: FeedFacts): Entry[] =>
  [
    ...incidents.map((incident) => ({
      id: incident.id,
      title: `${words.incidentStatuses[incident.status] ?? incident.status}: ${incident.name}`,
      link: `${root}/incidents/${incident.id}`,
      text: incident.updates
        .map(
          ({ status, description, at }) =>
            `${words.incidentStatuses[status] ?? status}, ${iso(at)}\n${description}`,
        )
        .join('\n\n'),
      at: beganAt(incident),
      changedAt: incident.changedAt,
    })),
    ...maintenance.map(({ id, name, status, startsAt, endsAt, description, changedAt }) => ({
      id,
      title: `${words.maintenanceStatuses[status] ?? status}: ${name}`,
      link: `${root}/maintenance/${id}`,
      text: [`${iso(startsAt)} – ${iso(endsAt)}`, ...(description === null ? [] : [description])].join('\n'),
      at: Math.min(changedAt, startsAt),
      changedAt,
    })),
  ].sort((a, b) => b.changedAt - a.changedAt)

const xml = (content: Html): string => `<?xml version="1.0" encoding="utf-8"?>\n${markupOf(content)}\n`

export const atomFeed = (facts: FeedFacts): string => {
  const { site, model } = facts
  const entries = entriesOf(facts)
  return xml(html`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${site.words.lang}"><title>${model.branding.name}</title><id>urn:uuid:${model.id}</id><link rel="self" href="${site.root}/feed.atom${inItsLanguage(site)}"/><link rel="alternate" type="text/html" href="${site.root}/"/><updated>${iso(entries[0]?.changedAt ?? 0)}</updated><author><name>${model.branding.name}</name></author>
${entries.map(
  ({
    id,
    title,
    link,
    text,
    at,
    changedAt,
  }) => html`<entry><id>${link}#${id}</id><title>${title}</title><link rel="alternate" type="text/html" href="${link}"/><published>${iso(at)}</published><updated>${iso(changedAt)}</updated><content type="text">${text}</content></entry>
`,
)}</feed>`)
}

export const rssFeed = (facts: FeedFacts): string => {
  const { site, model } = facts
  return xml(html`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>${model.branding.name}</title><link>${site.root}/</link><description>${model.branding.description ?? model.branding.name}</description><language>${site.words.lang}</language><atom:link rel="self" type="application/rss+xml" href="${site.root}/feed.rss${inItsLanguage(site)}"/>
${entriesOf(facts).map(
  ({
    id,
    title,
    link,
    text,
    changedAt,
  }) => html`<item><title>${title}</title><link>${link}</link><guid isPermaLink="false">${id}</guid><pubDate>${new Date(changedAt).toUTCString()}</pubDate><description>${text}</description></item>
`,
)}</channel></rss>`)
}

export const jsonFeed = (facts: FeedFacts): string => {
  const { site, model } = facts
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: model.branding.name,
    home_page_url: `${site.root}/`,
    feed_url: `${site.root}/feed.json${inItsLanguage(site)}`,
    language: site.words.lang,
    items: entriesOf(facts).map(({ link, title, text, at, changedAt }) => ({
      id: link,
      url: link,
      title,
      content_text: text,
      date_published: iso(at),
      date_modified: iso(changedAt),
    })),
  })
}

const calendarStatus: Record<string, string> = { CANCELLED: 'CANCELLED' }
const calendarTime = (at: number): string => iso(at).replace(/[-:]|\.\d{3}/g, '')

/** What ends a line or a value in a calendar is no part of a text (RFC 5545 section 3.3.11). */
const calendarText = (text: string): string =>
  text
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, ' ')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')

/** Lines are at most 75 octets; what goes on begins with a space. */
const folded = (line: string): string => {
  const parts: string[] = []
  let part = ''
  for (const character of line) {
    if (Buffer.byteLength(part + character) > 74) {
      parts.push(part)
      part = ''
    }
    part += character
  }
  return [...parts, part].join('\r\n ')
}

export const calendar = ({ site, model, maintenance }: FeedFacts): string => {
  const events = maintenance.flatMap(({ id, name, description, startsAt, endsAt, status, changedAt }) => [
    'BEGIN:VEVENT',
    `UID:${id}@${model.id}`,
    `DTSTAMP:${calendarTime(changedAt)}`,
    `DTSTART:${calendarTime(startsAt)}`,
    `DTEND:${calendarTime(endsAt)}`,
    `SUMMARY:${calendarText(name)}`,
    ...(description === null ? [] : [`DESCRIPTION:${calendarText(description)}`]),
    `URL:${site.root}/maintenance/${id}`,
    `STATUS:${calendarStatus[status] ?? 'CONFIRMED'}`,
    'END:VEVENT',
  ])
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Watchpost//Status page//EN',
    `X-WR-CALNAME:${calendarText(model.branding.name)}`,
    ...events,
    'END:VCALENDAR',
  ]
  return `${lines.map(folded).join('\r\n')}\r\n`
}
