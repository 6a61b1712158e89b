/** A page as files for a foreign host: what visitors read, without what needs an answer from us. */
import type { App } from '../../platform/app/app.ts'
import { icon } from '../../platform/web/html/assets.ts'
import { statusScript } from '../assets/all.ts'
import { findCachedPage } from './cached-pages.ts'
import { incidentPage, maintenancePage } from './event-pages.ts'
import { incidentOfPage, newestIncidents } from './events-of-page.ts'
import { atomFeed, calendar, type FeedFacts, jsonFeed, rssFeed } from './feeds.ts'
import type { Document, Site } from './frame.ts'
import { historyPage } from './history-page.ts'
import { offeredLanguages, wordsFor } from './languages.ts'
import { incidentIn, maintenanceIn, modelIn } from './said-in.ts'
import { statusJson } from './status-json.ts'
import { statusPage } from './status-page.ts'

type StaticFile = { path: string; bytes: Buffer }

/** `root`: where they will be seen. Null where there is no page, or one that is not everybody's. */
export const staticFilesOf = async (
  app: App,
  { url, root }: { url: string; root: string },
): Promise<StaticFile[] | null> => {
  const page = await findCachedPage(app, url)
  if (page === null || page.model.isPrivate) return null
  const [first] = offeredLanguages(page.languages)
  const words = wordsFor({ chosen: first, languages: page.languages })
  const { lang } = words
  const model = modelIn(page.model, lang)
  const prefix = (URL.parse(root)?.pathname ?? '').replace(/\/+$/, '')
  const site: Site = { prefix, root, words, isStatic: true }
  const maintenance = page.allMaintenance.slice(-50).map((each) => maintenanceIn(each, lang))
  const newest = await newestIncidents(app, page.model)
  const incidents = newest.map((each) => incidentIn(each, lang))
  const facts: FeedFacts = { site, model, incidents, maintenance }
  const pages: StaticFile[] = [
    asPage('', statusPage(model, site)),
    asPage('history', historyPage(model, site)),
    ...maintenance.map((each) => asPage(`maintenance/${each.id}`, maintenancePage(model, each, site))),
  ]
  for (const { id } of [...model.open, ...model.past]) {
    const incident = await incidentOfPage(app, model, id)
    if (incident !== null)
      pages.push(asPage(`incidents/${id}`, incidentPage(model, incidentIn(incident, lang), site)))
  }
  return [
    ...pages,
    file('feed.atom', atomFeed(facts)),
    file('feed.rss', rssFeed(facts)),
    file('feed.json', jsonFeed(facts)),
    file('maintenance.ics', calendar(facts)),
    file('api/status.json', statusJson(model, site)),
    ...[icon, statusScript].map(({ path, bytes }) => ({ path: path.slice(1), bytes })),
  ]
}

const file = (path: string, text: string): StaticFile => ({ path, bytes: Buffer.from(text) })

/** Web servers show a folder's `index.html`, so addresses stay as they are. */
const asPage = (path: string, { text }: Document): StaticFile =>
  file(path === '' ? 'index.html' : `${path}/index.html`, text)
