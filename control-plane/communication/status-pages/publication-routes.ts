import type { App } from '../../platform/app/app.ts'
import type { HasDomainRecords } from '../../platform/services/outgoing/domain-records.ts'
import type { HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { always } from '../../platform/words/shapes/ignored-names.ts'
import { StatusPageId } from '../stored-pages/page-doc.ts'
import { examplePage } from './examples.ts'
import { changePublication, checkDomainOf, readPublication } from './publication.ts'
import { examplePublication, Publication, PublicationChanges } from './publication-schema.ts'

const tag = 'Status pages'
const params = StatusPageId
const example = { params: { statusPageId: examplePage.id }, response: examplePublication }

const read = route({
  method: 'GET',
  path: '/v1/status-pages/:statusPageId/publication',
  access: 'READ_ONLY',
  tag,
  summary: 'How a status page is given to visitors',
  params,
  status: 200,
  response: Publication,
  example,
  handle: ({ params: { statusPageId: id }, principal: { accountId } }, app) =>
    readPublication(app, { id, accountId }),
})

const change = route({
  method: 'PUT',
  path: '/v1/status-pages/:statusPageId/publication',
  access: 'READ_WRITE',
  tag,
  summary: 'Change how a status page is given to visitors',
  description: 'Only what is sent changes.',
  params,
  body: PublicationChanges,
  ignores: always('hasPassword', 'domain'),
  status: 200,
  response: Publication,
  example: { ...example, body: { frameAncestors: examplePublication.frameAncestors } },
  handle: ({ params: { statusPageId: id }, principal: { accountId }, body }, app: App & HasRandomBytes) =>
    changePublication(app, { id, accountId }, body),
})

const check = route({
  method: 'POST',
  path: '/v1/status-pages/:statusPageId/publication/domain-checks',
  access: 'READ_WRITE',
  tag,
  summary: 'Look for the proof of the custom domain in the DNS now',
  description:
    'It is looked for by itself, too: every few minutes until it is there, later a few times a day.',
  params,
  status: 201,
  response: Publication,
  rateLimit: { requests: 30, seconds: 60 },
  example,
  handle: (
    { params: { statusPageId: id }, principal: { accountId } },
    app: App & HasRandomBytes & HasDomainRecords,
  ) => checkDomainOf(app, { id, accountId }),
})

export { read as readPublication }

export const publicationRoutes: Route<App & HasDomainRecords & HasRandomBytes>[] = [read, change, check]
