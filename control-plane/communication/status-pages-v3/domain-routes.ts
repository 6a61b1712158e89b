/** Whether a page's custom domain is proven, in the words of version 3; `publication` says the same in ours. */
import { type Static, Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasDomainRecords } from '../../platform/services/outgoing/domain-records.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { checkDomainOf, readPublication } from '../status-pages/publication.ts'
import type { Publication } from '../status-pages/publication-schema.ts'
import { StatusPageId } from '../stored-pages/page-doc.ts'
import { examplePageV3 } from './page-schema.ts'

const tag = 'Status pages, version 3'
const path = '/v3/status-pages/:statusPageId/custom-domain-verifications'
const params = StatusPageId

const Record = Type.Object(
  { type: Type.Enum(['TXT', 'CNAME']), name: Type.String(), value: Type.String() },
  { title: 'DomainVerificationRecord' },
)

const DomainVerification = Type.Object(
  {
    status: Type.Enum(['none', 'active', 'pending'], {
      description: 'Whether the page is shown under its domain; none: it has no `customDomain`',
    }),
    sslStatus: Type.Enum(['external'], { description: 'Certificates are the proxy’s in front of it' }),
    validationMethod: Type.Enum(['txt']),
    verificationErrors: Type.Array(Type.String()),
    ownershipVerification: nullable(Record),
    validationRecords: Type.Array(Record, { description: 'One of them proves the domain' }),
    sslValidationErrors: Type.Array(Type.Object({ message: Type.String() }, { title: 'DomainSslError' })),
    CNAME: Type.String({ description: 'What the domain itself points to' }),
  },
  { title: 'DomainVerification' },
)
type DomainVerification = Static<typeof DomainVerification>

const present = (app: App, { domain }: Publication): DomainVerification => {
  const { isProven = false, checkedAt = null, records = [] } = domain ?? {}
  const isMissing = domain !== null && !isProven && checkedAt !== null
  return {
    status: domain === null ? 'none' : isProven ? 'active' : 'pending',
    sslStatus: 'external',
    validationMethod: 'txt',
    verificationErrors: isMissing ? [`None of the records was found at ${checkedAt}`] : [],
    ownershipVerification: records[0] ?? null,
    validationRecords: records,
    sslValidationErrors: [],
    CNAME: URL.parse(app.config.baseUrl)?.hostname ?? 'localhost',
  }
}

const record = {
  type: 'TXT',
  name: '_watchpost.status.example.com',
  value: `watchpost-${examplePageV3.id}`,
}
const example = {
  params: { statusPageId: examplePageV3.id },
  response: {
    ...{ status: 'pending', sslStatus: 'external', validationMethod: 'txt', verificationErrors: [] },
    ...{ ownershipVerification: record, validationRecords: [record], sslValidationErrors: [] },
    CNAME: 'watchpost.example.com',
  },
}

const read = route({
  method: 'GET',
  path,
  access: 'READ_ONLY',
  tag,
  summary: 'How the custom domain of a page is proven, and whether it is',
  params,
  status: 200,
  response: DomainVerification,
  example,
  handle: async ({ params: { statusPageId: id }, principal: { accountId } }, app) =>
    present(app, await readPublication(app, { id, accountId })),
})

const recheck = route({
  method: 'POST',
  path: `${path}/recheck`,
  access: 'READ_WRITE',
  tag,
  summary: 'Look for the proof of a custom domain now',
  params,
  status: 200,
  response: DomainVerification,
  rateLimit: { requests: 30, seconds: 60 },
  example,
  handle: async ({ params: { statusPageId: id }, principal: { accountId } }, app: App & HasDomainRecords) =>
    present(app, await checkDomainOf(app, { id, accountId })),
})

export const domainVerificationRoutes: Route<App & HasDomainRecords>[] = [read, recheck]
