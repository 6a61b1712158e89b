/**
 * Pages in memory: what a page shows is read when its stamp has changed and otherwise only looked at once a second, and each document is
 * rendered and packed once. With the store away the last one goes on being shown. Several control planes each look at the stamp, so that
 * all of them know of a change within `freshMs`.
 */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { findPageByUrl } from '../../communication/status-page-subscriptions/queries.ts'
import { findPublication } from '../../communication/status-pages/publication-queries.ts'
import { publicationDoc } from '../../communication/stored-pages/publication-doc.ts'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { reportStoreError } from '../../platform/app/report-store-error.ts'
import { incidentOf, incidentOfPage, newestIncidents } from './events-of-page.ts'
import type { IncidentView, MaintenanceView, PageModel } from './model.ts'
import { keyHashesOfPage, stampOfPage } from './queries.ts'
import { readModel } from './read-model.ts'

const freshMs = 1000
/** Nobody waits longer for the store to say that nothing has changed. */
const patienceMs = 250
const maxBytes = 64 * 1024 * 1024
const maxPages = 2000
const maxDocuments = 300
const sayEveryMs = 60_000

export type CachedDocument = {
  text: Buffer
  gzip: Buffer
  etag: string
  contentType: string
  headers: Readonly<Record<string, string>>
}

export type CachedPage = {
  url: string
  model: PageModel
  allMaintenance: readonly MaintenanceView[]
  /** The newest incidents with the last updates of each. */
  newest: readonly IncidentView[]
  /** Those whose pages were looked at, with all that was said. */
  whole: Map<string, IncidentView>
  /** Of what it shows, in any language: what visitors are told when it changes. */
  version: string
  stamp: string
  /** Changes with the page's passwords. */
  lock: string
  /** From which a private page opens. */
  networks: readonly string[]
  framedBy: readonly string[]
  /** In which it is offered, the default first; none: all. */
  languages: readonly string[]
  checkedAt: number
  documents: Map<string, CachedDocument>
  refreshing: Promise<CachedPage | null> | null
}

type Cache = {
  pages: Map<string, CachedPage>
  reading: Map<string, Promise<CachedPage | null>>
  bytes: number
}
const cacheOf = perApp((): Cache => ({ pages: new Map(), reading: new Map(), bytes: 0 }))

/** Null where there is no such page. @throws the error of the store, where the page was not read before */
export const findCachedPage = async (app: App, address: string): Promise<CachedPage | null> => {
  const url = address.toLowerCase()
  const { pages, reading } = cacheOf(app)
  const known = pages.get(url)
  if (known === undefined) {
    const read = reading.get(url) ?? readAnew(app, url).finally(() => reading.delete(url))
    reading.set(url, read)
    return read
  }
  if (app.clock.now() - known.checkedAt < freshMs) return known
  known.refreshing ??= refresh(app, known).finally(() => {
    known.refreshing = null
  })
  return soon<CachedPage | null>(app, known.refreshing, known)
}

const soon = async <T>(app: App, reading: Promise<T>, otherwise: T): Promise<T> => {
  const answered = new AbortController()
  const late = app.clock.sleep(patienceMs, answered.signal).then(() => otherwise)
  const first = await Promise.race([reading, late])
  answered.abort()
  return first
}

/** When the store cannot be read, the page that was cached last. */
const refresh = async (app: App, known: CachedPage): Promise<CachedPage | null> => {
  try {
    return await readAnew(app, known.url)
  } catch (error) {
    // Said once a minute for all pages, all visitors and all else that needs the store.
    if (reportStoreError(app)(error) === null) sayUnreadable(app)(error, known.url)
    return known
  }
}

/** A fault of ours. */
const sayUnreadable = perApp((app: App) => {
  let quietUntil = Number.NEGATIVE_INFINITY
  return (error: unknown, page: string): void => {
    const now = app.clock.monotonic()
    if (now < quietUntil) return
    quietUntil = now + sayEveryMs
    app.log.error({ err: error, page }, 'A status page is shown as it was: it could not be read')
  }
})

/** An incident with all that was said; while the store cannot be read, with what is in memory. Null: it is not of this page. */
export const incidentInMemory = async (
  app: App,
  page: CachedPage,
  incidentId: string,
): Promise<IncidentView | null> => {
  const id = incidentId.toLowerCase()
  const { model, newest, whole } = page
  const known = newest.find((each) => each.id === id) ?? incidentOf(model, id)
  const seen = whole.get(id)
  if (known === null || seen !== undefined) return seen ?? known
  const reading = incidentOfPage(app, model, id).catch((error: unknown) => {
    if (reportStoreError(app)(error) === null) throw error
    return null
  })
  const read = await soon(app, reading, null)
  if (read === null) return known
  if (whole.size < maxDocuments) whole.set(id, read)
  return read
}

const readAnew = async (app: App, url: string): Promise<CachedPage | null> => {
  const { pages } = cacheOf(app)
  const known = pages.get(url)
  const row = await app.db.get(findPageByUrl, { url })
  if (row === undefined) {
    forget(app, url)
    return null
  }
  const rows = await app.db.all(stampOfPage, { pageId: row.id, accountId: row.account_id })
  const stamp = JSON.stringify([row.id, rows])
  const now = app.clock.now()
  if (known !== undefined && known.stamp === stamp && now < known.model.until) {
    known.checkedAt = now
    return known
  }
  const { model, allMaintenance } = await readModel(app, row)
  const newest = await newestIncidents(app, model)
  const version = versionOf(model)
  const access = await readAccess(app, row.id)
  const read: CachedPage = {
    ...{ url, model, allMaintenance, newest, version, stamp, checkedAt: now, ...access },
    whole: new Map(),
    documents: new Map(),
    refreshing: null,
  }
  forget(app, url)
  if (pages.size >= maxPages) forget(app, pages.keys().next().value ?? '')
  pages.set(url, read)
  return read
}

const readAccess = async (
  app: App,
  pageId: string,
): Promise<Pick<CachedPage, 'lock' | 'networks' | 'framedBy' | 'languages'>> => {
  const keys = await app.db.all(keyHashesOfPage, { pageId })
  const publication = await app.db.get(findPublication, { pageId })
  const { frameAncestors, allowedNetworks, languages } = publicationDoc.read(publication?.doc ?? '{}')
  const secrets = JSON.stringify([keys, publication?.password_hash ?? null])
  return {
    lock: createHash('sha256').update(secrets).digest('base64url'),
    networks: allowedNetworks,
    framedBy: frameAncestors,
    languages,
  }
}

/** What only the time has changed is no news. */
const versionOf = ({ at: _, until: __, ...said }: PageModel): string =>
  createHash('sha256').update(JSON.stringify(said)).digest('base64url').slice(0, 16)

const sizeOf = ({ text, gzip }: CachedDocument): number => text.length + gzip.length

const forget = (app: App, url: string): void => {
  const cache = cacheOf(app)
  for (const document of cache.pages.get(url)?.documents.values() ?? []) cache.bytes -= sizeOf(document)
  cache.pages.delete(url)
}

/** How long ago the page was last known to be true, in whole minutes; null while it is. */
export const staleMinutes = (app: App, { checkedAt }: CachedPage): number | null => {
  const minutes = Math.floor((app.clock.now() - checkedAt) / 60_000)
  return minutes < 1 ? null : minutes
}

export type Made = { text: string; contentType: string; headers: Record<string, string> }

/** A document of the page under a name that says all that it depends on beside the page. */
export const cachedDocument = (
  app: App,
  page: CachedPage,
  name: string,
  make: () => Made,
): CachedDocument => {
  const known = page.documents.get(name)
  if (known !== undefined) return known
  const made = make()
  const text = Buffer.from(made.text)
  const document: CachedDocument = {
    text,
    gzip: gzipSync(text, { level: 9 }),
    etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`,
    contentType: made.contentType,
    headers: made.headers,
  }
  keep(app, page, { name, document })
  return document
}

/** Only while the page itself is cached: the bytes of one that was replaced meanwhile are no longer counted. */
const keep = (
  app: App,
  page: CachedPage,
  { name, document }: { name: string; document: CachedDocument },
): void => {
  const cache = cacheOf(app)
  if (cache.pages.get(page.url) !== page || page.documents.size >= maxDocuments) return
  page.documents.set(name, document)
  cache.bytes += sizeOf(document)
  for (const url of [...cache.pages.keys()]) {
    if (cache.bytes <= maxBytes) return
    if (url !== page.url) forget(app, url)
  }
}

/** For those who tell visitors of changes. */
export const cachedVersion = async (app: App, url: string): Promise<string | null> =>
  (await findCachedPage(app, url))?.version ?? null
