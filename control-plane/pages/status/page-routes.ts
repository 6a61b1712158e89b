/** What visitors look at: the page, what was, and the page of each event. */

import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { type Bytes, sentAsIs } from '../../platform/web/http/answers/serialize.ts'
import { type Reply, type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { incidentInMemory, type Made } from './cached-pages.ts'
import { incidentPage, maintenancePage } from './event-pages.ts'
import type { Document } from './frame.ts'
import { historyPage } from './history-page.ts'
import {
  closed,
  documentReply,
  type Request,
  type RequestContext,
  requestContext,
  shownModel,
} from './request-context.ts'
import { incidentIn, maintenanceIn } from './said-in.ts'
import { statusPage } from './status-page.ts'

const tag = 'Pages'
export const Url = Type.String({ pattern: '^[A-Za-z0-9-]{1,63}$', description: 'Of the page' })
/** Whole companies come from behind one address when something is down. */
export const rateLimit = { requests: 12_000, seconds: 60 }
const example = '<!doctype html>'
const otherStatuses = {
  304: 'Nothing has changed',
  401: 'The page is private, and asks for its password',
  404: 'There is no such page, or the host is none of ours',
}

export const made = ({ text, policy }: Document): Made => ({
  text,
  contentType: 'text/html; charset=utf-8',
  headers: { 'content-security-policy': policy },
})

const langOf = ({ site }: RequestContext): string => site.words.lang

/** Documents of an open page. */
const whenOpen = async (
  app: App & HasCipher,
  request: Request,
  show: (context: RequestContext) => Promise<Reply<Bytes>> | Reply<Bytes>,
): Promise<Reply<Bytes>> => {
  const context = await requestContext(app, request)
  return context.isOpen ? show(context) : closed(context)
}

const common = {
  method: 'GET',
  access: 'PUBLIC',
  tag,
  status: 200,
  otherStatuses,
  responseType: 'text/html',
  otherTypes: { errors: ['text/html'] },
  response: sentAsIs(),
  rateLimit,
} as const

/** Of what the page offers; what is none of that is ignored. */
export const chosenLanguage = Type.Object({ lang: Type.Optional(Type.String({ maxLength: 35 })) })

const page = route({
  ...common,
  path: '/status/:url',
  summary: 'A status page, as visitors see it',
  description:
    'Needs no key; on a proven `customDomain` it is at `/`. In the language that the visitor chose in its footer (`lang`), else by `Accept-Language`, else in its default (`languages` of its publication).',
  params: Type.Object({ url: Url }),
  query: chosenLanguage,
  example: { params: { url: 'acme' }, response: example },
  handle: (input, app: App & HasCipher) =>
    whenOpen(app, input, (context) =>
      documentReply(app, input, context, {
        name: 'page',
        make: () => made(statusPage(shownModel(context), context.site)),
      }),
    ),
})

const history = route({
  ...common,
  path: '/status/:url/history',
  summary: 'Past incidents of a status page, by month',
  params: Type.Object({ url: Url }),
  query: chosenLanguage,
  example: { params: { url: 'acme' }, response: example },
  handle: (input, app: App & HasCipher) =>
    whenOpen(app, input, (context) =>
      documentReply(app, input, context, {
        name: 'history',
        make: () => made(historyPage(shownModel(context), context.site)),
      }),
    ),
})

const incident = route({
  ...common,
  path: '/status/:url/incidents/:incidentId',
  summary: 'The page of an incident, with all its updates',
  params: Type.Object({ url: Url, incidentId: Type.String({ format: 'uuid' }) }),
  query: chosenLanguage,
  example: {
    params: { url: 'acme', incidentId: '0c7d5a4e-2f1b-4a3c-9d8e-7b6a5c4d3e2f' },
    response: example,
  },
  handle: (input, app: App & HasCipher) =>
    whenOpen(app, input, async (context) => {
      const shown = await incidentInMemory(app, context.page, input.params.incidentId)
      if (shown === null) throw notFound()
      return documentReply(app, input, context, {
        name: `incident ${shown.id}`,
        make: () => made(incidentPage(shownModel(context), incidentIn(shown, langOf(context)), context.site)),
      })
    }),
})

const maintenance = route({
  ...common,
  path: '/status/:url/maintenance/:maintenanceId',
  summary: 'The page of a maintenance',
  params: Type.Object({ url: Url, maintenanceId: Type.String({ pattern: '^\\d{1,10}-\\d{8}$' }) }),
  query: chosenLanguage,
  example: { params: { url: 'acme', maintenanceId: '1-20260102' }, response: example },
  handle: (input, app: App & HasCipher) =>
    whenOpen(app, input, (context) => {
      const shown = context.page.allMaintenance.find(({ id }) => id === input.params.maintenanceId)
      if (shown === undefined) throw notFound()
      return documentReply(app, input, context, {
        name: `maintenance ${shown.id}`,
        make: () =>
          made(maintenancePage(shownModel(context), maintenanceIn(shown, langOf(context)), context.site)),
      })
    }),
})

export const publicPageRoutes: Route<App & HasCipher>[] = [page, history, incident, maintenance]
