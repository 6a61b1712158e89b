/** What programs read of a page: feeds, the calendar, its state as JSON, the badge, the line for frames and the events. */

import { Type } from 'typebox'
import type { State } from '../../communication/stored-pages/words/words.ts'
import { type BadgeStatus, badgeSvg } from '../../insight/badges/badge-svg.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { type Bytes, sentAsIs } from '../../platform/web/http/answers/serialize.ts'
import { clientNetwork } from '../../platform/web/http/limits/address-network.ts'
import { type Reply, type Route, reply, route } from '../../platform/web/http/route.ts'
import { ApiError } from '../../platform/words/errors.ts'
import type { Made } from './cached-pages.ts'
import { embedded } from './embed.ts'
import { atomFeed, calendar, type FeedFacts, jsonFeed, rssFeed } from './feeds.ts'
import { openStream } from './live-streams.ts'
import { chosenLanguage, made, rateLimit, Url } from './page-routes.ts'
import {
  documentReply,
  type Request,
  type RequestContext,
  requestContext,
  shownModel,
} from './request-context.ts'
import { incidentIn, maintenanceIn } from './said-in.ts'
import { exampleStatusJson, StatusJson, statusJson } from './status-json.ts'

const tag = 'Pages'
const params = Type.Object({ url: Url })
const otherStatuses = {
  304: 'Nothing has changed',
  401: 'The page is private',
  404: 'There is no such page, or the host is none of ours',
}

/** @throws ApiError 401 for whoever has not opened a private page */
const opened = async (app: App & HasCipher, request: Request): Promise<RequestContext> => {
  const context = await requestContext(app, request)
  if (!context.isOpen) throw new ApiError(401, 'The page is private')
  return context
}

const plain = (text: string, contentType: string, headers: Record<string, string> = {}): Made => ({
  text,
  contentType,
  headers: { 'content-security-policy': "default-src 'none'", ...headers },
})

type Data = {
  path: string
  type: string
  summary: string
  example: unknown
  /** Of what is written; text unless told otherwise. */
  response?: Type.TUnsafe<Bytes>
}

const data = (
  { path, type, summary, example, response = sentAsIs() }: Data,
  show: (
    app: App & HasCipher,
    input: Request,
    context: RequestContext,
  ) => Promise<Reply<Bytes>> | Reply<Bytes>,
): Route<App & HasCipher> =>
  route({
    method: 'GET',
    path: `/status/:url/${path}`,
    access: 'PUBLIC',
    tag,
    summary,
    params,
    query: chosenLanguage,
    status: 200,
    otherStatuses,
    responseType: type,
    ...(type === 'text/html' ? { otherTypes: { errors: ['text/html'] } } : {}),
    response,
    rateLimit,
    example: { params: { url: 'acme' }, response: example },
    handle: async (input, app) => show(app, input, await opened(app, input)),
  })

const feed = (path: string, type: string, write: (facts: FeedFacts) => string): Route<App & HasCipher> =>
  data(
    { path, type, summary: `Incidents and maintenance of a status page (${path})`, example: '…' },
    (app, input, context) => {
      const { page, site } = context
      const { lang } = site.words
      const facts = (): FeedFacts => ({
        site,
        model: shownModel(context),
        incidents: page.newest.map((each) => incidentIn(each, lang)),
        maintenance: page.allMaintenance.slice(-50).map((each) => maintenanceIn(each, lang)),
      })
      return documentReply(app, input, context, {
        name: path,
        make: () => plain(write(facts()), `${type}; charset=utf-8`),
      })
    },
  )

const json = data(
  {
    path: 'api/status.json',
    type: 'application/json',
    response: StatusJson,
    summary: 'The state of a status page in the shape that tools read',
    example: exampleStatusJson,
  },
  (app, input, context) =>
    documentReply(app, input, context, {
      name: 'status.json',
      make: () =>
        plain(statusJson(shownModel(context), context.site), 'application/json; charset=utf-8', {
          // Public pages are read by scripts of other sites, without cookies.
          ...(context.page.model.isPrivate ? {} : { 'access-control-allow-origin': '*' }),
        }),
    }),
)

const badgeStatus: Record<State, BadgeStatus> = {
  unknown: 'no data',
  operational: 'passing',
  maintenance: 'paused',
  degraded: 'degraded',
  partial: 'failing',
  major: 'failing',
}

const badge = data(
  {
    path: 'badge.svg',
    type: 'image/svg+xml',
    summary: 'The state of a status page as a picture',
    example: '<svg/>',
  },
  (app, input, context) => {
    const model = shownModel(context)
    const shown = {
      label: model.branding.name,
      status: badgeStatus[model.state],
      word: context.site.words.states[model.state],
      responseTime: null,
      style: 'flat' as const,
      theme: 'default' as const,
    }
    return documentReply(app, input, context, {
      name: 'badge',
      make: () => plain(badgeSvg(shown), 'image/svg+xml; charset=utf-8'),
    })
  },
)

const embed = data(
  {
    path: 'embed',
    type: 'text/html',
    summary: 'The state in one line, for a frame of 40 pixels',
    example: '<!doctype html>',
  },
  (app, input, context) =>
    documentReply(app, input, context, {
      name: 'embed',
      make: () => made(embedded(shownModel(context), context.site, context.page.framedBy)),
    }),
)

const events = route({
  method: 'GET',
  path: '/status/:url/events',
  access: 'PUBLIC',
  tag,
  summary: 'Tells when a status page has changed (server-sent events)',
  description: 'The id of an event is the version of the page; `Last-Event-ID` says which one was seen last.',
  params,
  requestHeaders: { 'last-event-id': 'The version that was seen last' },
  status: 200,
  otherStatuses: { ...otherStatuses, 503: 'Too many streams are open' },
  responseType: 'text/event-stream',
  response: sentAsIs(),
  rateLimit: { requests: 600, seconds: 60 },
  example: { params: { url: 'acme' }, response: 'event: change' },
  handle: async (input, app: App & HasCipher) => {
    const { page } = await opened(app, input)
    const stream = openStream(app, {
      url: page.url,
      version: page.version,
      address: clientNetwork(input.address),
      lastEventId: input.headers['last-event-id'],
      signal: input.signal,
    })
    return reply(stream, {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'x-content-type-options': 'nosniff',
      },
    })
  },
})

export const statusPageDataRoutes: Route<App & HasCipher>[] = [
  feed('feed.atom', 'application/atom+xml', atomFeed),
  feed('feed.rss', 'application/rss+xml', rssFeed),
  feed('feed.json', 'application/feed+json', jsonFeed),
  feed('maintenance.ics', 'text/calendar', calendar),
  json,
  badge,
  embed,
  events,
]
